package aoti

import (
	"os"
	"strings"
)

// vectors returns the processor's extensions, under Linux's names.
func vectors() ([]string, error) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return nil, err
	}
	return features(string(info)), nil
}

// features returns the extensions of the first processor in /proc/cpuinfo.
func features(cpuinfo string) []string {
	for line := range strings.Lines(cpuinfo) {
		key, value, _ := strings.Cut(line, ":")
		if key = strings.TrimSpace(key); key == "flags" || key == "Features" {
			return strings.Fields(value)
		}
	}
	return nil
}
