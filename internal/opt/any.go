package opt

// AnyLayer is an option of every family of layers; what every layer takes embeds
// it.
type AnyLayer struct{}
