package harness

// graphs compares captured and replayed steps of mlpStep and mlpForward with C++, with
// Python, and with the same steps without a graph. The optimizer is the fused AdamW.
// graphs also measures training steps of a transformer layer, an LSTM and a CNN with
// large kernels. Python's "compiled" applies torch.compile to the forward pass and the
// loss, which also compiles the backward pass. The compile time is not included. All use
// one thread.
func graphs() Group {
	const n, forwards, large = 3000, 30_000, 30
	step := func(id, by, name string, n int, args ...string) Measure {
		return Measure{ID: id, By: by, Case: name, Iterations: n, Args: args}
	}
	return Group{
		Measures: []Measure{
			step("graph", Ours, "mlp.graph.step", n),
			step("eager", Ours, "mlp.step.fused", n),
			step("cpp", "cpp", "mlp.step", n),
			step("fused", "python", "mlp.step", n, "fused=1"),
			step("compiled", "python", "mlp.step", n, "fused=1", "compiled=1"),
			step("block", Ours, "graph.block", 1000),
			step("block_eager", Ours, "graph.block", 1000, "eager=1"),
			step("block_cpp", "cpp", "graph.block", 1000),
			step("block_compiled", "python", "graph.block", 1000),
			step("lstm", Ours, "graph.lstm", 1000),
			step("lstm_eager", Ours, "graph.lstm", 1000, "eager=1"),
			step("lstm_cpp", "cpp", "graph.lstm", 1000),
			step("cnn", Ours, "graph.cnn", large),
			step("cnn_cpp", "cpp", "graph.cnn", large),
			step("graph_forward", Ours, "mlp.graph.forward", forwards),
			step("cpp_forward", "cpp", "mlp.forward", forwards),
			step("aoti_forward", "aoti_ours", "aoti.mlp", forwards),
		},
		Rows: []Row{
			{"graph.mlp.cpp", "ns", time("graph"), time("cpp"), "C++ with the fused kernel"},
			{"graph.mlp.python_fused", "ns", time("graph"), time("fused"), "Python, fused=True"},
			{"graph.mlp.compiled", "ns", time("graph"), time("compiled"), "torch.compile, fused=True"},
			{"graph.mlp.eager", "ns", time("graph"), time("eager"), "without a graph, in Go"},
			{"graph.block.cpp", "ns", time("block"), time("block_cpp"), "C++ with the fused kernel"},
			{"graph.block.compiled", "ns", time("block"), time("block_compiled"), "torch.compile, fused=True"},
			{"graph.block.eager", "ns", time("block"), time("block_eager"), "without a graph, in Go"},
			{"graph.lstm.cpp", "ns", time("lstm"), time("lstm_cpp"), "C++ with the fused kernel"},
			{"graph.lstm.eager", "ns", time("lstm"), time("lstm_eager"), "without a graph, in Go"},
			{"graph.cnn.cpp", "ns", time("cnn"), time("cnn_cpp"), "C++ with the fused kernel"},
			{"graph.forward.cpp", "ns", time("graph_forward"), time("cpp_forward"), cppName},
			{"graph.forward.aoti", "ns", time("graph_forward"), time("aoti_forward"), "AOTInductor, in Go"},
		},
	}
}

// graphsOfOwnKernels compares replays with the same steps without graphs, for operators
// whose replays use gotorch's own kernels, and for a CNN with pooling.
func graphsOfOwnKernels() Group {
	g := Group{}
	for _, c := range []struct {
		id, name string
		n        int
		args     []string
	}{
		{"maxpool", "graph.maxpool", 1000, nil},
		{"stack", "graph.stack", 1000, nil},
		{"pooled.infer1", "graph.pooled.infer", 1000, []string{"n=1"}},
		{"pooled.infer32", "graph.pooled.infer", 100, []string{"n=32"}},
		{"pooled.train32", "graph.pooled.train", 30, nil},
	} {
		eager := c.id + ".eager"
		g.Measures = append(g.Measures,
			Measure{ID: c.id, By: Ours, Case: c.name, Iterations: c.n, Args: c.args},
			Measure{ID: eager, By: Ours, Case: c.name, Iterations: c.n, Args: append([]string{"eager=1"}, c.args...)})
		g.Rows = append(g.Rows, Row{"graph." + eager, "ns", time(c.id), time(eager), "without a graph, in Go"})
	}
	return g
}

// graphPeak compares the peak memory of a captured step with the peak of the step without
// a graph, once during the capture and once during a replay. Parameters, optimizer state
// and inputs are not counted. Each row is for the model with the worst ratio.
func graphPeak() Group {
	return Group{
		MaxRounds: 1,
		Measures:  []Measure{{ID: "peak", By: Ours, Case: "graph.peak", Iterations: 1}},
		Rows: []Row{
			{"graph.peak", "bytes", named("peak", "graph"), named("peak", "eager"), "without a graph, in Go"},
			{
				"graph.peak.captured", "bytes", named("peak", "captured"), named("peak", "captured_eager"),
				"without a graph, in Go",
			},
		},
	}
}
