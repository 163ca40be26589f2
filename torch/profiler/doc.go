// Package profiler finds out what a program's operators cost: torch.profiler.
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
// A profile covers every goroutine and every thread, those of backward passes included.
// There is one at a time in a process. Its operators have the names and the numbers of
// calls that Python's profiler shows, its tables Python's columns, and its traces the
// layout that chrome://tracing, Perfetto and TensorBoard read. Besides, it is a profile of
// runtime/pprof, which names the lines of Go that called, and a page of HTML with flame
// graph and timeline.
//
// While no profile is made, nothing is measured and nothing costs anything.
package profiler
