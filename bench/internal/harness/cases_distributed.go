package harness

import "strconv"

// allReduces: sums of two ranks over the loopback interface, the ranks being threads of one
// process in C++ and goroutines in Go, so that both pay for the same two processors. The
// ranks do not compare what they call (distributed.Check(false)), as C++ does not; with the
// comparison there is a row of its own, for the smallest, which feels it most.
func allReduces() Group {
	var g Group
	for _, size := range []struct {
		name     string
		elements int
		n        int
	}{{"1KiB", 256, 2000}, {"64KiB", 16 << 10, 1000}, {"1MiB", 256 << 10, 200}, {"64MiB", 16 << 20, 5}} {
		arg := []string{"n=" + strconv.Itoa(size.elements)}
		g.Measures = append(g.Measures,
			Measure{ID: size.name, By: Ours, Case: "allreduce", Iterations: size.n, Args: arg},
			Measure{ID: size.name + ".cpp", By: "cpp", Case: "allreduce", Iterations: size.n, Args: arg})
		g.Rows = append(g.Rows, Row{"distributed.allreduce." + size.name + ".cpp", "ns", time(size.name), time(size.name + ".cpp"), cppName})
	}
	g.Measures = append(g.Measures, Measure{ID: "checked", By: Ours, Case: "allreduce", Iterations: 2000, Args: []string{"n=256", "check=1"}})
	g.Rows = append(g.Rows, Row{"distributed.allreduce.checked.cpp", "ns", time("checked"), time("1KiB.cpp"), cppName})
	return g
}
