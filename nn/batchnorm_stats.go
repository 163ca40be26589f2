package nn

// WithCumulativeStats resets the running statistics of all batch normalizations of
// m, makes them means over all batches while fn runs, as a momentum of None does,
// and then gives each its momentum back, also if fn panics. It does not call fn and
// returns false if there is no batch normalization. [swa.UpdateBN] is made of it.
//
// [swa.UpdateBN]: https://pkg.go.dev/github.com/gotorch/gotorch/optim/swa#UpdateBN
func WithCumulativeStats(m Module, fn func()) bool {
	var norms []*batchNorm
	for _, l := range Modules(m) {
		switch l := l.(type) {
		case *BatchNorm1d:
			norms = append(norms, &l.norm)
			l.ResetRunningStats()
		case *BatchNorm2d:
			norms = append(norms, &l.norm)
			l.ResetRunningStats()
		case *BatchNorm3d:
			norms = append(norms, &l.norm)
			l.ResetRunningStats()
		}
	}
	before := make([]bool, len(norms))
	for i, n := range norms {
		before[i], n.cumulative = n.cumulative, true
	}
	defer func() {
		for i, n := range norms {
			n.cumulative = before[i]
		}
	}()
	if len(norms) == 0 {
		return false
	}
	fn()
	return true
}
