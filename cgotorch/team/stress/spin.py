#!/usr/bin/env python3
"""Simulates the team on machines with 2, 16 and 64 cores, to choose how long idle workers stay awake.

Callers alternate between serial work and regions with one share for each core. Workers follow the
rules of workers.cpp: an idle worker spins, then spins and yields its core to whoever wants one, then
sleeps; two sleeping workers are woken for a region, and each of them wakes two more. A thread that
can run takes a free core, or that of a yielding worker, or waits for one. All times are microseconds.

Prints for each wait, in spin+yield, how many regions a second run, as a ratio to the wait that the
team has, and the part of the machine that idle workers keep busy while they spin or yield.
"""
import argparse
import heapq
import random

WAITS = [(0, 0), (10, 0), (30, 0), (30, 200), (100, 0), (100, 400), (1000, 0)]
CHOSEN = (30, 200)  # kPatience in settings.cpp
PROGRAMS = [(20, 5), (50, 20), (200, 20), (200, 200), (1000, 50)]  # serial work, work of a share

WAKE_CALL = 2.0  # what a wake costs the thread that calls it
CLAIM = 0.15  # to take a share
NOTICE = 0.3  # until an awake worker sees that it is called
SWITCH = 1.5  # from one thread to the next on a core


class Machine:
    """A machine with a number of cores, its callers and the workers of its team."""

    def __init__(self, cores, callers, program, wait):
        self.random = random.Random(1)
        self.cores, (self.serial_work, self.share_work), (self.spin, self.yield_) = cores, program, wait
        self.now, self.events, self.regions, self.steps, self.awake_time = 0.0, [], [], 0, 0.0
        self.taken = 0  # cores with a caller, a worker that works, or a worker that spins
        self.waiting = []  # threads that wait for a core
        self.looking = {}  # idle workers that are awake, with the time since when
        self.yielding = set()  # those of them that yield
        self.asleep = set(range(cores - 1))
        self.order = 0
        for _ in range(callers):
            self.get_core(self.serial)

    def after(self, time, do):
        self.order += 1
        heapq.heappush(self.events, (self.now + time, self.order, do))

    def run(self, steps):
        while self.steps < steps:
            self.now, _, do = heapq.heappop(self.events)
            do()
        return self.steps / self.now, self.awake_time / self.now / self.cores

    def get_core(self, do):
        if self.taken + len(self.yielding) >= self.cores:
            if not self.yielding:
                self.waiting.append(do)
                return
            self.sleep(next(iter(self.yielding)))
        self.taken += 1
        do()

    def give_core(self):
        if self.waiting:
            self.after(SWITCH, self.waiting.pop(0))
        else:
            self.taken -= 1

    # A caller keeps its core until its region is done, then goes to the end of the queue.

    def serial(self):
        self.after(self.random.expovariate(1 / self.serial_work), self.open)

    def open(self):
        region = {"unclaimed": self.cores - 1, "left": self.cores}
        self.regions.append(region)
        self.after(self.call(), lambda: self.share(region, None))

    def share(self, region, worker):
        def end():
            region["left"] -= 1
            if region["unclaimed"]:
                region["unclaimed"] -= 1
                self.after(CLAIM, lambda: self.share(region, worker))
                return
            if region in self.regions:
                self.regions.remove(region)
            if region["left"] == 0:
                self.steps += 1
                if self.waiting:
                    self.waiting.append(self.serial)
                    self.give_core()
                else:
                    self.serial()
            if worker is not None:
                self.look(worker)

        self.after(self.share_work * self.random.uniform(0.95, 1.1), end)

    # A worker is asleep, or gets a core and looks for a share, or waits awake for a call.

    def call(self):
        for worker in list(self.looking):
            self.stop_looking(worker)
            self.after(NOTICE, lambda worker=worker: self.look(worker))
        woken = list(self.asleep)[:2]
        for worker in woken:
            self.asleep.discard(worker)
            latency = self.random.lognormvariate(2.7, 0.7)  # the median is 15
            self.after(latency, lambda worker=worker: self.get_core(lambda: self.look(worker, woken=True)))
        return WAKE_CALL if woken else 0

    def look(self, worker, woken=False):
        for region in self.regions:
            if region["unclaimed"]:
                region["unclaimed"] -= 1
                cost = self.call() if woken and region["unclaimed"] else 0
                self.after(cost + CLAIM, lambda: self.share(region, worker))
                return
        self.looking[worker] = since = self.now
        self.after(self.spin, lambda: self.stop_spinning(worker, since))

    def stop_spinning(self, worker, since):
        if self.looking.get(worker) != since:
            return
        if not self.yield_ or self.waiting:
            self.sleep(worker)
            self.give_core()
            return
        self.yielding.add(worker)
        self.taken -= 1
        self.after(self.yield_, lambda: self.looking.get(worker) == since and self.sleep(worker))

    def stop_looking(self, worker):
        self.awake_time += self.now - self.looking.pop(worker)
        if worker in self.yielding:
            self.yielding.remove(worker)
            self.taken += 1

    def sleep(self, worker):
        self.awake_time += self.now - self.looking.pop(worker)
        self.yielding.discard(worker)
        self.asleep.add(worker)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-steps", type=int, default=3000, help="regions for each figure")
    steps = parser.parse_args().steps
    print("cores callers serial share " + "".join(f"{spin}+{yield_}".rjust(13) for spin, yield_ in WAITS))
    for cores in 2, 16, 64:
        for callers in 1, 4, cores, 4 * cores:
            for program in PROGRAMS:
                rows = {wait: Machine(cores, callers, program, wait).run(steps) for wait in WAITS}
                base = rows[CHOSEN][0]
                figures = "".join(f"{rate / base:7.2f} {100 * awake:3.0f} %" for rate, awake in rows.values())
                print(f"{cores:5} {callers:7} {program[0]:6} {program[1]:5} {figures}", flush=True)


if __name__ == "__main__":
    main()
