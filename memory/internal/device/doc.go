// Package device has the allocators behind package memory, by device: their
// statistics, limits, settings and caches, and the errors for a device that has
// none. Its errors name functions of package memory, for which it works.
package device
