package harness

import "strconv"

// allReduces measures all-reduces of two ranks over the loopback interface. The ranks are
// threads of one process in C++ and goroutines in Go, so both use the same two
// processors. As in C++, the ranks do not check that they make the same calls
// (distributed.Check(false)). A separate row includes that check, for the smallest sum,
// where it costs the most.
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
		g.Rows = append(g.Rows, Row{
			"distributed.allreduce." + size.name + ".cpp", "ns", time(size.name),
			time(size.name + ".cpp"), cppName,
		})
	}
	g.Measures = append(g.Measures, Measure{
		ID: "checked", By: Ours, Case: "allreduce", Iterations: 2000,
		Args: []string{"n=256", "check=1"},
	})
	g.Rows = append(g.Rows, Row{"distributed.allreduce.checked.cpp", "ns", time("checked"), time("1KiB.cpp"), cppName})
	return g
}

// ddp measures training steps of DistributedDataParallel. In Go and in Python, each rank
// is a process with one thread. There are as many ranks as processors, or twice as many.
// As in Python, the ranks do not check that they make the same calls; a separate row
// includes that check, which is Go's default. The overhead row compares a group of one
// process with the same step without a group.
func ddp() Group {
	const mlp, resnet = 400, 20
	g := Group{MaxRounds: 9}
	for _, m := range []struct {
		name, peer string
		n          int
		args       []string
	}{
		{"mlp", "mlp.python", mlp, []string{"world=2", "check=0"}},
		{"mlp4", "mlp.4.python", mlp / 2, []string{"world=4", "check=0"}},
		{"resnet18", "resnet18.python", resnet, []string{"world=2", "resnet=1", "check=0"}},
		{"resnet18x4", "resnet18.4.python", resnet / 2, []string{"world=4", "resnet=1", "check=0"}},
	} {
		g.Measures = append(g.Measures,
			Measure{ID: m.name, By: Ours, Case: "ddp", Iterations: m.n, Args: m.args},
			Measure{ID: m.name + ".python", By: "python", Case: "ddp", Iterations: m.n, Args: m.args})
		g.Rows = append(g.Rows, Row{"ddp." + m.peer, "ns", time(m.name), time(m.name + ".python"), pythonName})
	}
	g.Measures = append(g.Measures, Measure{
		ID: "checked", By: Ours, Case: "ddp", Iterations: mlp,
		Args: []string{"world=2"},
	})
	g.Rows = append(g.Rows, Row{"ddp.mlp.checked.python", "ns", time("checked"), time("mlp.python"), pythonName})
	g.Measures = append(g.Measures,
		Measure{ID: "one", By: Ours, Case: "ddp", Iterations: mlp, Args: []string{"world=1"}},
		Measure{ID: "none", By: Ours, Case: "ddp", Iterations: mlp, Args: []string{"world=0"}})
	g.Rows = append(g.Rows, Row{"ddp.overhead", "ns", time("one"), time("none"), "without a group"})
	return g
}
