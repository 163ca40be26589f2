package harness

// loaders: what a loader costs. Batches of 64 small examples that are in memory, beside
// Python's DataLoader with no or with two workers, whichever is quicker: of a
// TensorDataset, and of a dataset that only gives one example at a time. What a loop over
// a worker's batches costs beside the data: ready batches, one worker. And a loop whose
// step computes for 2 ms and whose worker computes for 2 ms, both on one thread, beside
// the longer of the two by itself, and beside both at once on two goroutines.
func loaders() Group {
	return Group{
		Measures: []Measure{
			{ID: "items", By: Ours, Case: "data.items", Iterations: 2000},
			{ID: "items_python", By: "python", Case: "data.items", Iterations: 2000},
			{ID: "items_get", By: Ours, Case: "data.items.get", Iterations: 2000},
			{ID: "items_get_python", By: "python", Case: "data.items.get", Iterations: 2000},
			{ID: "overhead", By: Ours, Case: "data.overhead", Iterations: 20_000},
			{ID: "overlap", By: Ours, Case: "data.overlap", Iterations: 300},
		},
		Rows: []Row{
			{"data.items.python", "ns", time("items"), time("items_python"), pythonName},
			{"data.items.get.python", "ns", time("items_get"), time("items_get_python"), pythonName},
			{"data.overhead.ns", "ns", time("overhead"), bound(5000), "the bound"},
			{"data.overlap", "ns", time("overlap"), named("overlap", "longer"), "the longer of step and loading"},
			{"data.overlap.both", "ns", time("overlap"), named("overlap", "both"), "both at once without a loader"},
		},
	}
}
