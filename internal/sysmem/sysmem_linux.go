package sysmem

import (
	"errors"
	"strconv"
	"strings"
)

func (f *files) machine() (free, total int64, err error) {
	kB := f.kilobytes("proc/meminfo")
	free, total = kB["MemAvailable"]<<10, kB["MemTotal"]<<10
	if total <= 0 {
		return 0, 0, errors.New("read system memory: /proc/meminfo has no MemTotal")
	}
	for _, g := range f.bounded() {
		total = min(total, g.Limit)
		free = min(free, g.Free())
	}
	return free, total, nil
}

// kilobytes returns the numbers in a file whose lines are a name and a number of kB.
func (f *files) kilobytes(name string) map[string]int64 {
	numbers := map[string]int64{}
	for line := range strings.SplitSeq(f.text(name), "\n") {
		key, value, _ := strings.Cut(line, ":")
		if field := strings.Fields(value); len(field) > 0 {
			if n, err := strconv.ParseInt(field[0], 10, 64); err == nil {
				numbers[key] = n
			}
		}
	}
	return numbers
}

func machine() (free, total int64, err error) { return system.machine() }

// tightest returns the group with the least free memory. It considers only groups with a
// limit below the machine's memory.
func (f *files) tightest() (group Group, ok bool) {
	memory := f.kilobytes("proc/meminfo")["MemTotal"] << 10
	for _, g := range f.bounded() {
		if g.Limit < memory && (!ok || g.Free() < group.Free()) {
			group, ok = g, true
		}
	}
	return group, ok
}

func tightest() (Group, bool) { return system.tightest() }

func resident() (now, peak int64) {
	kB := system.kilobytes("proc/self/status")
	return kB["VmRSS"] << 10, kB["VmHWM"] << 10
}
