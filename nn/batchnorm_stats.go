package nn

// WithCumulativeStats resets the running statistics of all batch normalizations of
// m, makes them means over all batches while fn runs, as a momentum of None does,
// and then gives each its momentum back, also if fn panics. It does not call fn and
// returns false if there is no batch normalization. [swa.UpdateBN] is made of it.
//
// [swa.UpdateBN]: https://pkg.go.dev/github.com/gotorch/gotorch/optim/swa#UpdateBN
func WithCumulativeStats(m Module, fn func()) bool {
	var momenta []**float64
	for _, l := range Modules(m) {
		switch l := l.(type) {
		case *BatchNorm1d:
			momenta = append(momenta, &l.Momentum)
			l.ResetRunningStats()
		case *BatchNorm2d:
			momenta = append(momenta, &l.Momentum)
			l.ResetRunningStats()
		case *BatchNorm3d:
			momenta = append(momenta, &l.Momentum)
			l.ResetRunningStats()
		}
	}
	before := make([]*float64, len(momenta))
	for i, m := range momenta {
		before[i], *m = *m, nil
	}
	defer func() {
		for i, m := range momenta {
			*m = before[i]
		}
	}()
	if len(momenta) == 0 {
		return false
	}
	fn()
	return true
}
