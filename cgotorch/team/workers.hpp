// The threads of the team.
#pragma once

namespace gt::team {

// Tells the workers that a region of which they may run that many shares has been opened.
void call_workers(int shares);

// Has threads for that many shares that wait for each other, beside those at work; no more
// than most workers are there then. False: the system has no room for them, and those that
// are there will not do.
bool need_workers(int shares, int most);

// Starts a thread with all but faults blocked.
bool start_thread(void* (*main)(void*));

// Makes sure that the keeper looks at the open regions.
void arm_keeper();

// In the child of a fork: there are no threads.
void forget_workers();
void forget_keeper();

}  // namespace gt::team
