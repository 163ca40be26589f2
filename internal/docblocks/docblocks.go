// Package docblocks compiles and runs the Go code of the documentation, for the tests of
// the modules whose packages it uses.
//
// All blocks of a module form one program, and each page is a package of it: functions
// and types that a block declares are available to the other blocks of the page. The
// statements of a block become a function, which runs in its own scope. A page runs in a
// new directory. A panic, a failing test and an error left in err are failures.
//
// # For authors
//
// A block may use names that the page does not declare. testdata/given.go declares names
// that have the same meaning on every page: model, opt, loader, x, y and so on. Packages
// of the library and common packages of Go are imported if a block uses them.
//
// Comments above a fence, which are invisible on the page, state what else the block
// needs. A comment may span several lines, and there may be several comments:
//
//	<!-- given: x := torch.Rand(torch.Shape{2, 2}) -->
//
// adds statements before the block. Their declarations replace those of
// testdata/given.go. Functions and types are declared for the whole page.
//
//	<!-- then: fmt.Println(NewNet().Forward(x)) -->
//
// adds statements after the block, such as a call of a declared function. A function main
// and test functions are always called.
//
//	<!-- continues -->
//
// joins the block to the previous one: they form one function with one set of variables.
//
//	<!-- panics: closed -->
//
// states that the block contains a mistake: it must panic, and the message must contain
// this text.
//
//	<!-- compiled only: needs a GPU -->
//
// compiles the block without running it. [Lids] lists the reasons, and how often each may
// be used.
//
// # The output of a block
//
// If a comment after fmt.Println looks like a value, such as "// [2 3]" or "// 0.5", it
// must equal the output. A fence without a language, or with "text", must equal the whole
// output of the block above it. At most a short line that ends in a colon may stand
// between them. If times and bytes depend on the machine,
//
//	<!-- figures differ -->
//
// above the output compares it without its digits, and
//
//	<!-- no output -->
//
// states that the fence is not output.
package docblocks

// Lids are the reasons for compiling a block without running it. The number is how many
// blocks, on all pages together, may use the reason.
var Lids = map[string]int{
	"needs a GPU":               8,
	"needs a compiled model":    2,
	"needs an exported program": 1,
}
