package sysmem

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func machine() (free, total int64, err error) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, 0, fmt.Errorf("read system memory: %w", err)
	}
	free, total = meminfo(text)
	if total == 0 {
		return 0, 0, errors.New("/proc/meminfo does not tell the machine's memory")
	}
	limit, okLimit := number("/sys/fs/cgroup/memory.max")
	used, okUsed := number("/sys/fs/cgroup/memory.current")
	if okLimit && okUsed && limit < total {
		total = limit
		free = min(free, max(limit-used, 0))
	}
	return free, total, nil
}

func meminfo(text []byte) (free, total int64) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ":")
		f := strings.Fields(value)
		if len(f) == 0 {
			continue
		}
		n, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil {
			continue
		}
		switch key {
		case "MemTotal":
			total = n << 10
		case "MemAvailable":
			free = n << 10
		}
	}
	return free, total
}

func number(path string) (int64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil // "max" is no number: no limit
}

func resident() (now, peak int64) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0
	}
	for _, line := range strings.Split(string(text), "\n") {
		key, value, _ := strings.Cut(line, ":")
		f := strings.Fields(value)
		if len(f) == 0 {
			continue
		}
		n, _ := strconv.ParseInt(f[0], 10, 64)
		switch key {
		case "VmRSS":
			now = n << 10
		case "VmHWM":
			peak = n << 10
		}
	}
	return now, peak
}
