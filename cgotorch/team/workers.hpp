// The threads of the team.
#pragma once

namespace gt::team {

// Tells the workers about an open region with that many shares for them.
void call_workers(int shares);

// Makes sure that that many shares, which wait for each other, have threads besides the busy ones.
// Starts at most as many workers as give most in total. Returns false if the system cannot start
// them and there are too few.
bool need_workers(int shares, int most);

// Starts a thread that blocks all signals except faults and SIGPROF.
bool start_thread(void* (*main)(void*));

// Makes the keeper look at the open regions.
void arm_keeper();

// In the child of a fork, which has no workers and no keeper.
void forget_workers();
void forget_keeper();

}  // namespace gt::team
