// Package device provides the allocators of each device to package memory: their
// statistics, limits, settings and caches. Its errors name functions of package memory.
package device
