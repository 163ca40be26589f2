package trend

import "math"

// independent is how many independent samples one is worth, given the sums of
// the products of neighbouring residuals and of their squares.
func independent(neighbours, squares float64) float64 {
	if squares == 0 {
		return 1
	}
	rho := min(max(neighbours/squares, 0), 0.99)
	return (1 - rho) / (1 + rho)
}

// studentQuantile returns the value that Student's t with the given degrees of
// freedom stays below with probability p, 0.5 <= p < 1, by bisection.
func studentQuantile(p, df float64) float64 {
	lo, hi := 0.0, 1.0
	for studentCDF(hi, df) < p {
		hi *= 2
	}
	for range 60 {
		mid := (lo + hi) / 2
		if studentCDF(mid, df) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// studentCDF is the probability that Student's t is below x >= 0. Substituting
// x = sqrt(df) tan(a) leaves an integral of cos(a)^(df-1), smooth and bounded,
// for Simpson's rule.
func studentCDF(x, df float64) float64 {
	const steps = 400
	end := math.Atan(x / math.Sqrt(df))
	f := func(a float64) float64 { return math.Pow(math.Cos(a), df-1) }
	h := end / steps
	sum := f(0) + f(end)
	for i := 1; i < steps; i++ {
		sum += float64(2+2*(i%2)) * f(float64(i)*h)
	}
	a, _ := math.Lgamma((df + 1) / 2)
	b, _ := math.Lgamma(df / 2)
	return 0.5 + math.Exp(a-b)/math.Sqrt(math.Pi)*sum*h/3
}
