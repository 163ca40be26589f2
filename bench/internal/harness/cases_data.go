package harness

// loaders measures the cost of a loader:
//
//   - batches of 64 small examples in memory, from a TensorDataset and from a dataset that
//     returns one example at a time, compared with Python's DataLoader with no or two
//     workers, whichever is faster;
//   - the overhead of a loop over a worker's prepared batches;
//   - a loop whose step and whose worker each compute for 2 ms on one thread. It is
//     compared with the slower of the two alone, and with both on two goroutines without
//     a loader.
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
