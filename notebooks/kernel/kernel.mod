module github.com/gopherdata/gophernotes

go 1.26.0

godebug gotypesalias=0

require (
	github.com/cosmos72/gomacro v0.0.0-20231101204900-3dc08f5f8fea
	github.com/go-zeromq/zmq4 v0.15.0
	github.com/gofrs/uuid v4.4.0+incompatible
	github.com/gotorch/gotorch v0.0.0
	github.com/gotorch/gotorch/examples v0.0.0
	github.com/gotorch/gotorch/memory/plot v0.0.0
	github.com/gotorch/gotorch/notebooks v0.0.0
)

require (
	codeberg.org/go-fonts/liberation v0.5.0 // indirect
	codeberg.org/go-latex/latex v0.2.0 // indirect
	codeberg.org/go-pdf/fpdf v0.11.1 // indirect
	git.sr.ht/~sbinet/gg v0.7.0 // indirect
	github.com/ajstarks/svgo v0.0.0-20211024235047-1546f124cd8b // indirect
	github.com/go-zeromq/goczmq/v4 v4.2.2 // indirect
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/mattn/go-runewidth v0.0.15 // indirect
	github.com/peterh/liner v1.2.2 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	golang.org/x/image v0.30.0 // indirect
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
	gonum.org/v1/plot v0.17.0 // indirect
)

replace (
	github.com/cosmos72/gomacro => ../gomacro
	github.com/gotorch/gotorch => ../../..
	github.com/gotorch/gotorch/examples => ../../../examples
	github.com/gotorch/gotorch/memory/plot => ../../../memory/plot
	github.com/gotorch/gotorch/notebooks => ../../../notebooks
)
