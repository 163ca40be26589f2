// Package docblocks compiles and runs the Go of the documentation, for the tests of the
// modules whose packages it names.
//
// All blocks of a module become one program. A page is a package of it: functions and types
// that a block declares are there for the other blocks of the page. Statements are a
// function for each block, which runs in a scope of its own, in a new folder for each page.
// A panic, a test that fails and an error left in err are failures.
//
// # For authors
//
// A block may use names that the page does not declare. testdata/given.go has those that
// mean the same on every page: model, opt, loader, x, y and so on. Packages of the library
// and the common ones of Go's are imported as they are named.
//
// Comments above a fence, which a reader does not see, say what else the block needs. They
// may go over several lines, and there may be several:
//
//	<!-- given: x := torch.Rand(torch.Shape{2, 2}) -->
//
// are statements in front of the block; what they declare takes the place of testdata/given.go.
// Declarations of functions and types are the whole page's.
//
//	<!-- then: fmt.Println(NewNet().Forward(x)) -->
//
// are statements behind it, such as a call of what the block declares. A function main and
// functions of tests are called anyway.
//
//	<!-- continues -->
//
// joins the block to the one before it: they are one function, with one set of variables.
//
//	<!-- panics: closed -->
//
// is for a mistake shown on purpose: the block must panic, with this text in the message.
//
//	<!-- compiled only: needs a GPU -->
//
// leaves out running it. The reasons, and how often each may be given, are in [Lids].
//
// # What a block prints
//
// A comment behind fmt.Println that looks like a value, such as "// [2 3]" or "// 0.5", must
// be what is printed. A fence without a language or with "text", directly under the block or
// with a short line between that ends in a colon, must be all that the block prints. Where times
// and bytes are the machine's,
//
//	<!-- figures differ -->
//
// above the output compares it without its digits, and
//
//	<!-- no output -->
//
// says that the fence is something else.
package docblocks

// Lids are the reasons for which a block is compiled and not run, each with how many blocks
// of all pages may give it.
var Lids = map[string]int{
	"needs a GPU":            8,
	"needs a compiled model": 2,
}
