package opt

// AnyLayer is an option of every family of layers. Options that every layer accepts embed
// it.
type AnyLayer struct{}
