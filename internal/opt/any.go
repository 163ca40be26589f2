package opt

// AnyLayer is an option of every family of layers. Options that all layers accept embed
// it.
type AnyLayer struct{}
