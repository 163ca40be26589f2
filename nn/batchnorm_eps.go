package nn

// Eps returns what is added to the variance. It was an option of the constructor.
func (l *BatchNorm1d) Eps() float64 { return l.norm.eps }

// Eps returns what is added to the variance. It was an option of the constructor.
func (l *BatchNorm2d) Eps() float64 { return l.norm.eps }

// Eps returns what is added to the variance. It was an option of the constructor.
func (l *BatchNorm3d) Eps() float64 { return l.norm.eps }
