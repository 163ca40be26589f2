package profiler

type metadata struct{ key, value string }
