package opt

// What a module takes its state from is converted to.

// StateLoadCall is the family of the options with which a module loads a state dict.
type (
	StateLoadCall interface{ StateLoadCall() }
)

func (Device) StateLoadCall() {}
func (DType) StateLoadCall()  {}
