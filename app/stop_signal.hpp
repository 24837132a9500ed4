#pragma once
// SIGTERM, SIGINT and SIGUSR1 ask for a checkpoint and a clean stop.
//
// A thread of its own waits for them and every other thread blocks them, so that no handler ever
// runs on a thread that computes: the GEMM kernels of oneDNN before 3.11.2 keep the stack pointer
// in the heap for a while, and the frame of a signal that arrives then destroys the heap
// (https://github.com/uxlfoundation/oneDNN/issues/4845).

namespace oida::app {

/// To be called before any other thread starts. Until watch_stop_signals() the signals end the
/// process as they would have done. SIGXFSZ is ignored from here on.
void block_stop_signals();
/// From now on the signals are noted instead of ending the process; a second SIGINT ends it.
void watch_stop_signals();
bool stop_signal_seen();

}  // namespace oida::app
