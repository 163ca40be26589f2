package opt

// Losses.

// Reduction selects how a loss combines its elements.
type Reduction string

// IgnoreIndex is the class to ignore.
type IgnoreIndex int64

// LabelSmoothing is the fraction of a target that is spread over all classes.
type LabelSmoothing float64

// Delta is the threshold below which HuberLoss is quadratic.
type Delta float64

// LogTarget says whether targets are logarithms.
type LogTarget bool
