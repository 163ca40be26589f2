// The threads of the team.
#pragma once

namespace gt::team {

// Tells sleeping workers that a region is open and has the given number of shares for
// them.
void call_workers(int shares);

// Makes sure that idle threads run these shares, which wait for each other. To get enough
// threads, it starts workers, up to `most` in total. Returns false if the system cannot
// start enough threads.
bool need_workers(int shares, int most);

// Starts a thread that blocks all signals except faults and SIGPROF.
bool start_thread(void* (*main)(void*));

// Makes the keeper watch the open regions.
void arm_keeper();

// Resets the state in the child of a fork, which has no workers and no keeper.
void forget_workers();
void forget_keeper();

}  // namespace gt::team
