// MPICH before 4.2 on UCX deadlocks in MPI_Finalize over TCP with three or more ranks (fixed by
// pmodels/mpich#6596): each rank flushes and closes its UCX connections, which the other side has
// to answer, and then blocks in a PMI barrier, where it answers no more.
//
// libmpich closes each connection by this function. The definition in the executable comes before
// that of libucp in the dynamic linker's search order, so the handshake is skipped: the PMI barrier
// alone orders the exit, and each rank then drops its connections. Runtime::finish() sees to it
// that nothing is left on its way. Linked only into builds against such an MPICH (CMakeLists.txt),
// where nothing but MPI_Finalize calls it.

extern "C" {

void* ucp_disconnect_nb(void* endpoint);

__attribute__((visibility("default"))) void* ucp_disconnect_nb(void* /*endpoint*/) {
  return nullptr;  // UCS_OK: closed at once
}
}
