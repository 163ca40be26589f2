package main

// A loss is one number, but a tensor, and what computed it stays with it. Item is the number.
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
