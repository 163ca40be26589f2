package harness

const (
	mib1 = "n=262144"  // float32 elements
	mib4 = "n=1048576" // float32 elements

	cppName    = "C++ on the same libtorch"
	pythonName = "Python"
)

// Groups returns every case, in the order of the printed table.
func Groups() []Group {
	return []Group{
		plain(), plainPrograms(), addOne(), mlpStep(), mlpForward(), graphs(), graphsOfOwnKernels(), graphPeak(),
		optimizerStep(), sequences(), imageTransforms(),
		fashion(), conv(), visionModels(), infer(), serving(), kinematics(), gpt(),
		concurrentAdd(), concurrentForward(), gate(), options(), boxed(), shim(), peaks(),
		adds("1MiB", mib1, 2000), adds("4MiB", mib4, 500), block(), resident(),
		garbage(), tiny(), train(), bookkeeping(), profiling(), jpegs(), loaders(), files(), scripts(), exports(),
		embed(), languageModels(), checkpoints(), aoti(), exchange(), allReduces(), ddp(),
	}
}

// addOne measures adding one-element float32 tensors and freeing each sum. In Go, a scope
// frees 100 sums together.
func addOne() Group {
	const n = 200_000
	return Group{
		Measures: []Measure{
			{ID: "scope", By: Ours, Case: "add.scope", Iterations: n},
			{ID: "cpp", By: "cpp", Case: "add", Iterations: n},
			{ID: "close", By: Ours, Case: "add.close", Iterations: n},
			{ID: "python", By: "python", Case: "add", Iterations: n},
			{ID: "gc", By: Ours, Case: "add.gc", Iterations: n},
			{ID: "tch", By: "tch", Case: "add", Iterations: n},
		},
		Rows: []Row{
			{"add1.scope.cpp", "ns", time("scope"), time("cpp"), cppName},
			{"add1.scope.python", "ns", time("scope"), time("python"), pythonName},
			{"add1.scope.tch", "ns", time("scope"), time("tch"), "tch-rs"},
			{"add1.close.cpp", "ns", time("close"), time("cpp"), cppName},
			{"add1.gc.python", "ns", time("gc"), time("python"), pythonName},
		},
	}
}

// mlpStep measures a training step of a 32-64-64-10 network on a batch of 16, on one
// thread: forward pass, cross entropy, backward pass and AdamW (lr 1e-3). The default
// AdamW is compared with the peers' defaults, and the fused AdamW with their fused
// kernels.
func mlpStep() Group {
	const n = 3000
	return Group{
		Measures: []Measure{
			{ID: "ours", By: Ours, Case: "mlp.step", Iterations: n},
			{ID: "ours_fused", By: Ours, Case: "mlp.step.fused", Iterations: n},
			{ID: "cpp", By: "cpp", Case: "mlp.step", Iterations: n},
			{ID: "optim", By: "cpp", Case: "mlp.step.optim", Iterations: n},
			{ID: "python", By: "python", Case: "mlp.step", Iterations: n},
			{ID: "fused", By: "python", Case: "mlp.step", Iterations: n, Args: []string{"fused=1"}},
			{ID: "tch", By: "tch", Case: "mlp.step", Iterations: n},
		},
		Rows: []Row{
			{"mlp.step.cpp", "ns", time("ours_fused"), time("cpp"), "C++ with the fused kernel"},
			{"mlp.step.cpp_optim", "ns", time("ours"), time("optim"), "C++ with its own AdamW"},
			{"mlp.step.python", "ns", time("ours"), time("python"), pythonName},
			{"mlp.step.python_fused", "ns", time("ours_fused"), time("fused"), "Python, fused=True"},
			{"mlp.step.tch", "ns", time("ours_fused"), time("tch"), "tch-rs"},
		},
	}
}

// optimizerStep measures a single optimizer step on one thread. Fused and foreach kernels
// on 60 tensors of 16,384 float32 elements are compared with the same kernels called from
// C++. SGD also runs on 60 tensors of 1,024 elements, where overhead matters most. Each
// optimizer with default options is compared with Python's, on 60 tensors of 1,024
// elements or 8 of 1,048,576.
func optimizerStep() Group {
	middle, large := []string{"n=16384"}, []string{"tensors=8", mib4}
	g := Group{}
	for _, o := range []struct{ name, how string }{{"adamw", "fused"}, {"sgd", "fused"}, {"rmsprop", "foreach"}} {
		c := "optim." + o.name
		g.Measures = append(g.Measures,
			Measure{ID: o.name, By: Ours, Case: c + "." + o.how, Iterations: 1000, Args: middle},
			Measure{ID: o.name + ".cpp", By: "cpp", Case: c, Iterations: 1000, Args: middle})
		g.Rows = append(g.Rows, Row{
			c + ".cpp", "ns", time(o.name), time(o.name + ".cpp"),
			"C++ with the " + o.how + " kernel",
		})
	}
	g.Measures = append(g.Measures,
		Measure{ID: "tiny", By: Ours, Case: "optim.sgd.fused", Iterations: 5000},
		Measure{ID: "tiny.cpp", By: "cpp", Case: "optim.sgd", Iterations: 5000, Args: []string{"n=1024"}},
		Measure{ID: "small", By: Ours, Case: "optim.adamw", Iterations: 1000},
		Measure{ID: "small.python", By: "python", Case: "optim.adamw", Iterations: 1000},
		Measure{ID: "large", By: Ours, Case: "optim.adamw", Iterations: 50, Args: large},
		Measure{ID: "large.python", By: "python", Case: "optim.adamw", Iterations: 50, Args: large})
	g.Rows = append(g.Rows,
		Row{"optim.sgd.small.cpp", "ns", time("tiny"), time("tiny.cpp"), "C++ with the fused kernel"},
		Row{"optim.small.python", "ns", time("small"), time("small.python"), pythonName},
		Row{"optim.large.python", "ns", time("large"), time("large.python"), pythonName})
	return g
}

// mlpForward measures a forward pass of mlpStep's network without gradients, on one
// thread.
func mlpForward() Group {
	const n = 30_000
	return Group{
		Measures: []Measure{
			{ID: "ours", By: Ours, Case: "mlp.forward", Iterations: n},
			{ID: "cpp", By: "cpp", Case: "mlp.forward", Iterations: n},
			{ID: "python", By: "python", Case: "mlp.forward", Iterations: n},
		},
		Rows: []Row{
			{"mlp.forward.cpp", "ns", time("ours"), time("cpp"), cppName},
			{"mlp.forward.python", "ns", time("ours"), time("python"), pythonName},
		},
	}
}

// conv measures a training step of the input layers and first block of a ResNet-18 on
// images of shape (8, 3, 64, 64), on one thread.
func conv() Group {
	return Group{
		Measures: []Measure{
			{ID: "ours", By: Ours, Case: "conv.step", Iterations: 40},
			{ID: "python", By: "python", Case: "conv.step", Iterations: 40},
		},
		Rows: []Row{{"nn.conv.python", "ns", time("ours"), time("python"), pythonName}},
	}
}

// concurrentAdd compares 1,024 additions of 16 MB tensors on many goroutines with the
// same number of additions on one goroutine. Each goroutine closes its results.
func concurrentAdd() Group {
	const adds = 1024
	g := Group{MaxRounds: 5, Measures: []Measure{
		{ID: "g1", By: Ours, Case: "conc.add", Iterations: adds, Args: []string{"goroutines=1"}, Fresh: true},
	}}
	for _, many := range []string{"64", "256"} {
		id := "g" + many
		g.Measures = append(g.Measures, Measure{
			ID: id, By: Ours, Case: "conc.add", Iterations: adds, Args: []string{"goroutines=" + many}, Fresh: true,
		})
		name := "conc.add16MB." + id
		g.Rows = append(g.Rows,
			Row{name, "ns", time(id), time("g1"), "one goroutine"},
			Row{name + ".rss", "bytes", named(id, "rss"), named("g1", "rss"), "one goroutine"},
			Row{name + ".threads", "threads", named(id, "threads"), named(id, "threads_bound"), "4 x cores + 16"},
		)
	}
	return g
}

// concurrentForward measures forward passes of one network on many goroutines. It
// compares the time per pass with the time of C++ and Python on 8 threads.
func concurrentForward() Group {
	const passes = 80_000
	eight := []string{"workers=8"}
	return Group{
		Measures: []Measure{
			{ID: "g8", By: Ours, Case: "mlp.concurrent", Iterations: passes, Args: eight},
			{ID: "cpp", By: "cpp", Case: "mlp.concurrent", Iterations: passes, Args: eight},
			{ID: "g256", By: Ours, Case: "mlp.concurrent", Iterations: passes, Args: []string{"workers=256"}},
			{ID: "python", By: "python", Case: "mlp.concurrent", Iterations: passes / 8, Args: eight},
		},
		Rows: []Row{
			{"conc.mlp.g8.cpp", "ns", time("g8"), time("cpp"), "C++, 8 threads"},
			{"conc.mlp.g8.python", "ns", time("g8"), time("python"), "Python, 8 threads"},
			{"conc.mlp.g256.cpp", "ns", time("g256"), time("cpp"), "C++, 8 threads"},
		},
	}
}

// gate measures the cost of entering and leaving native code for a single goroutine.
func gate() Group {
	return Group{
		Measures: []Measure{{ID: "gate", By: Ours, Case: "gate", Iterations: 20_000_000}},
		Rows:     []Row{{"gate.op.ns", "ns", time("gate"), bound(15), "the bound"}},
	}
}

// options measures how much longer an operator takes with options than without them.
func options() Group {
	const n = 200_000
	return Group{
		Measures: []Measure{
			{ID: "sum", By: Ours, Case: "opt.sum", Iterations: n},
			{ID: "conv", By: Ours, Case: "opt.conv", Iterations: n},
		},
		Rows: []Row{
			{"opt.sum.ns", "ns", named("sum", "added"), bound(30), "the bound"},
			{"opt.conv.ns", "ns", named("conv", "added"), bound(30), "the bound"},
		},
	}
}

// boxed compares calling an operator through the operator table with calling its own C++
// function.
func boxed() Group {
	return Group{
		Measures: []Measure{{ID: "mul", By: Ours, Case: "boxed.mul", Iterations: 200_000}},
		Rows:     []Row{{"boxed.mul.cpp", "ns", named("mul", "boxed"), named("mul", "typed"), "its C++ function"}},
	}
}

// shim measures how long the first build of the cgo packages takes.
func shim() Group {
	return Group{
		MaxRounds: 1,
		Measures:  []Measure{{ID: "build", By: "build_shim", Program: true}},
		Rows:      []Row{{"build.shim.s", "s", named("build", "shim_s"), bound(40), "the bound"}},
	}
}

// peaks measures the peak native memory of each module of nn, relative to the same module
// in Python. The rows are for the module with the worst ratio.
func peaks() Group {
	return Group{
		MaxRounds: 1,
		Measures:  []Measure{{ID: "nn", By: "nn_peak", Program: true}},
		Rows: []Row{
			{"nn.peak", "x", named("nn", "training"), bound(1), pythonName},
			{"nn.peak.inference", "x", named("nn", "inference"), bound(1), pythonName},
		},
	}
}

// adds measures additions of tensors of the given size in a loop. The sums are closed
// immediately or left to Go's collector. Each run is a new process, because allocators
// adapt to what ran before.
func adds(size, args string, n int) Group {
	a := []string{args}
	alloc, gc := "alloc.add"+size+".", "gc.loop"+size+"."
	g := Group{
		Measures: []Measure{
			{ID: "close", By: Ours, Case: "add.close", Iterations: n, Args: a, Fresh: true},
			{ID: "python", By: "python", Case: "add", Iterations: n, Args: a, Fresh: true},
			{ID: "gc", By: Ours, Case: "add.gc", Iterations: n, Args: a, Fresh: true},
			{ID: "jemalloc", By: "python_jemalloc", Case: "add", Iterations: n, Args: a, Fresh: true},
			{ID: "mimalloc", By: "python_mimalloc", Case: "add", Iterations: n, Args: a, Fresh: true},
		},
		Rows: []Row{
			{alloc + "python", "ns", time("close"), time("python"), pythonName},
			{alloc + "jemalloc", "ns", time("close"), time("jemalloc"), "Python under jemalloc"},
			{alloc + "mimalloc", "ns", time("close"), time("mimalloc"), "Python under mimalloc"},
			{gc + "python", "ns", time("gc"), time("python"), pythonName},
		},
	}
	if size == "4MiB" {
		g.Rows = append(g.Rows,
			Row{gc + "closed", "ns", time("gc"), time("close"), "the loop that closes"},
			Row{"gc.peak4MiB.bound", "bytes", named("gc", "peak"), named("gc", "bound"), "1.25 x (live + threshold)"},
		)
	}
	return g
}

// block measures the forward and backward pass of a transformer's feed-forward block on 2
// threads. An input of shape (8, 256, 256) passes through LayerNorm, a layer of width
// 1024 with GELU, and a residual connection is added.
func block() Group {
	a := []string{"threads=2"}
	return Group{
		Measures: []Measure{
			{ID: "ours", By: Ours, Case: "block", Iterations: 30, Args: a, Fresh: true},
			{ID: "python", By: "python", Case: "block", Iterations: 30, Args: a, Fresh: true},
		},
		Rows: []Row{{"alloc.block.python", "ns", time("ours"), time("python"), pythonName}},
	}
}

// resident measures a process's resident memory after it has created and closed 20,000
// tensors, besides its live ones, and emptied the cache. It is compared with a process
// that created only the live tensors.
func resident() Group {
	return Group{
		MaxRounds: 3,
		Measures: []Measure{
			{ID: "churned", By: Ours, Case: "resident.churned", Iterations: 20_000, Fresh: true},
			{ID: "fresh", By: Ours, Case: "resident.fresh", Iterations: 1, Fresh: true},
		},
		Rows: []Row{{
			"alloc.resident.fresh", "bytes", named("churned", "rss"), named("fresh", "rss"),
			"a fresh process",
		}},
	}
}

// garbage measures additions of 4 MiB tensors on 8 goroutines, which leave the sums to
// Go's collector. The live bytes in the bound are the bytes that the goroutines would
// need if they closed their sums: the operands, and one sum for each goroutine.
func garbage() Group {
	a := []string{mib4, "goroutines=8"}
	return Group{
		Measures: []Measure{
			{ID: "gc", By: Ours, Case: "add.gc", Iterations: 500, Args: a, Fresh: true},
			{ID: "close", By: Ours, Case: "add.close", Iterations: 500, Args: a, Fresh: true},
		},
		Rows: []Row{
			{"gc.g8.closed", "ns", time("gc"), time("close"), "8 goroutines that close"},
			{"gc.g8.bound", "bytes", named("gc", "peak"), named("close", "bound"), "1.25 x (live + threshold)"},
		},
	}
}

// tiny measures five million sums of one element, left to Go's collector, in a program with
// 458 MiB of Go objects.
func tiny() Group {
	return Group{
		MaxRounds: 3,
		Measures:  []Measure{{ID: "gc", By: Ours, Case: "tiny.gc", Iterations: 5_000_000, Fresh: true}},
		Rows: []Row{{
			"gc.tiny.bound", "bytes", named("gc", "peak"), named("gc", "bound"),
			"1.25 x (live + threshold)",
		}},
	}
}

// train measures a training loop of a small convolutional network on random images, with
// and without a scope per step. The batch size is 64, on 2 threads.
func train() Group {
	a := []string{"threads=2"}
	return Group{
		Measures: []Measure{
			{ID: "none", By: Ours, Case: "train.gc", Iterations: 100, Args: a, Fresh: true},
			{ID: "scope", By: Ours, Case: "train.scope", Iterations: 100, Args: a, Fresh: true},
		},
		Rows: []Row{
			{"gc.train.scoped_time", "ns", time("none"), time("scope"), "the loop with scopes"},
			{"gc.train.scoped_peak", "bytes", named("none", "peak"), named("scope", "peak"), "the loop with scopes"},
		},
	}
}

// bookkeeping measures the cost of recording every allocation, and of listing every live
// tensor.
func bookkeeping() Group {
	const n = 100_000
	return Group{
		Measures: []Measure{
			{ID: "plain", By: Ours, Case: "add.close", Iterations: n},
			{ID: "history", By: Ours, Case: "history", Iterations: n},
			{ID: "live", By: Ours, Case: "live", Iterations: n},
		},
		Rows: []Row{
			{"history.alloc.ns", "ns", named("history", "added"), bound(1500), "the bound"},
			{"live.alloc.ns", "ns", named("live", "added"), time("plain"), "a one-element add and its Close"},
		},
	}
}

// fashion compares one epoch of the Fashion-MNIST example, and its peak native bytes,
// with the same program in Python. A separate run counts Python's bytes with
// bench/cpp/counting_allocator.cpp.
func fashion() Group {
	return Group{
		MaxRounds: 5,
		Measures: []Measure{
			{ID: "ours", By: "fmnist_ours", Program: true},
			{ID: "python", By: "fmnist_python", Program: true},
			{ID: "counted", By: "fmnist_python_counted", Program: true},
		},
		Rows: []Row{
			{"fmnist.epoch.python", "s", named("ours", "epoch_s"), named("python", "epoch_s"), pythonName},
			{"alloc.fmnist.python", "s", named("ours", "epoch_s"), named("python", "epoch_s"), pythonName},
			{"fmnist.peak.python", "bytes", named("ours", "peak_bytes"), named("counted", "peak_bytes"), pythonName},
		},
	}
}
