package conformance_test

// notOffered has the members that the library does not have, with the reason.
var notOffered = map[string]string{
	"modules LazyConv1d":          lazy,
	"modules LazyConv2d":          lazy,
	"modules LazyConv3d":          lazy,
	"modules LazyConvTranspose1d": lazy,
	"modules LazyConvTranspose2d": lazy,
	"modules LazyConvTranspose3d": lazy,
}

const lazy = "lazy modules are not offered: in Go a constructor knows the sizes"
