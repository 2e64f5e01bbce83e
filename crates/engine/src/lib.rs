//! Claims, the loop, the dispatcher and the scheduler.
