package opt

// Losses.

// Reduction is what a loss does with its elements.
type Reduction string

// IgnoreIndex is the class to ignore.
type IgnoreIndex int64

// LabelSmoothing is the fraction of a target that is spread over all classes.
type LabelSmoothing float64

// Delta is where the parabola of HuberLoss ends.
type Delta float64

// LogTarget says that targets are logarithms.
type LogTarget bool
