// The threads of the team.
#pragma once

namespace gt::team {

// Tells the workers about an open region that has this many shares for them.
void call_workers(int shares);

// Makes sure that `shares` shares, which wait for each other, get threads
// that are not busy. Starts workers until there are at most `most` in
// total. Returns false if the system cannot start enough of them.
bool need_workers(int shares, int most);

// Starts a thread that blocks all signals except faults and SIGPROF.
bool start_thread(void* (*main)(void*));

// Makes the keeper look at the open regions.
void arm_keeper();

// Resets the state in the child of a fork, which has no workers and no keeper.
void forget_workers();
void forget_keeper();

}  // namespace gt::team
