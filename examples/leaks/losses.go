package main

// A loss is a tensor and keeps its graph alive. Item returns only the number.
func leakyLosses() (step func(int), end func()) {
	w := weights()
	var kept bag
	return scoped(func(int) {
		loss := w.Mul(w).Exp().Sum() // leaks
		kept.put(loss)
	}), func() { kept.empty(); _ = w.Close() }
}

func fixedLosses() (step func(int), end func()) {
	w, total := weights(), 0.0
	return scoped(func(int) { total += w.Mul(w).Exp().Sum().Item() }), closing(w)
}
