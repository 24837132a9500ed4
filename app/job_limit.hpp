#pragma once
// When the batch system is going to end this job.

namespace oida::app {

/// Seconds from now after which a run stops with a checkpoint; 0 = never. The deck's limit where it
/// has one; in a Slurm job (SLURM_JOB_END_TIME, seconds since 1970) at latest a twentieth of the
/// time that is left before its end, at least 10 s and at most 100 s before it.
double time_limit_s(double of_deck_s);

}  // namespace oida::app
