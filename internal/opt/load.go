package opt

// The families of functions that replace tensors or modules.
type (
	//gotorch:options Device DType Strict Assign Rename RenameFunc Transpose Concat Split Ignore
	//gotorch:options AllowMissing
	StateLoadCall interface{ stateLoadCall() }
	//gotorch:options TieWeights Strict
	FunctionalCall interface{ functionalCall() }
	//gotorch:options Strict
	SetSubmoduleCall interface{ setSubmoduleCall() }
)

// Options that package nn documents.
type (
	TieWeights   bool
	Strict       bool
	Assign       bool
	Rename       [][2]string
	RenameFunc   func(name string) string
	Transpose    []string
	Ignore       []string
	AllowMissing []string
	Concat       []ConcatRule
	ConcatRule   struct {
		To   string
		From []string
		Dim  int64
	}
	Split     []SplitRule
	SplitRule struct {
		From string
		To   []string
		Dim  int64
	}
)
