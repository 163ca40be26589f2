// Package profiler measures a program's operators. It follows torch.profiler.
//
//	p, err := profiler.Run(func(p *profiler.Profile) {
//		loss := F.CrossEntropy(model.Forward(x), y)
//		loss.Backward()
//	}, profiler.RecordShapes(true))
//	if err != nil {
//		return err
//	}
//	fmt.Print(p.KeyAverages().Table(profiler.SortBySelfCPUTimeTotal, profiler.RowLimit(10)))
//
// A profile covers every goroutine and every thread, including the threads of backward
// passes. A process can record one profile at a time. The names and counts of operators are
// the same as in Python's profiler, tables have Python's columns, and traces can be opened
// in chrome://tracing, Perfetto and TensorBoard. A profile can also be written for go tool
// pprof, with the Go lines that called each operator, or as an HTML page with a flame graph
// and a timeline.
//
// While no profile is recorded, nothing is measured and operators are not slowed down.
package profiler
