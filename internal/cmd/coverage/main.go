// Command coverage writes docs/coverage.md, which lists the Go name for each public name
// of PyTorch.
//
//	go run ./internal/cmd/coverage
//
// names.txt contains the names. names.py creates it from PyTorch's modules. A name has a
// Go equivalent if the Go package for its module declares it in the usual spelling.
// spelled.txt lists names with a different spelling. reasons.txt lists names that do not
// apply, with the reason. planned.txt lists planned names, with an alternative to use
// until they exist. The last two files may contain patterns. torch/aten has some of the
// remaining names as operators. A test compares the page with the source.
package main

import (
	_ "embed"
	"fmt"
	"log"
	"os"
	"path"
	"slices"
	"strings"
)

var (
	//go:embed names.txt
	namesText string
	//go:embed spelled.txt
	spelledText string
	//go:embed reasons.txt
	reasonsText string
	//go:embed planned.txt
	plannedText string
)

// A section of the page is a module or class of PyTorch. Its names are looked up in the
// places with these labels, in order, and in the operators with these prefixes.
type section struct {
	name   string
	labels []string
	ops    []string
}

var sections = []section{
	{"torch", []string{"torch.", "x.", "F.", "cuda.", "serialization.", "dlpack."}, []string{""}},
	{"torch.Tensor", []string{"x.", "torch."}, []string{""}},
	{"torch.nn", []string{"nn."}, nil},
	{"torch.nn.Module", []string{"m.", "nn."}, nil},
	{"torch.nn.functional", []string{"F.", "torch."}, []string{"", "_"}},
	{"torch.nn.init", []string{"nninit."}, nil},
	{"torch.nn.utils", []string{"nnutil."}, nil},
	{"torch.nn.utils.rnn", []string{"rnn.", "nnutil."}, nil},
	{"torch.nn.utils.parametrize", []string{"parametrize.", "nnutil."}, nil},
	{"torch.nn.utils.parametrizations", []string{"parametrizations.", "nnutil."}, nil},
	{"torch.nn.utils.prune", []string{"prune.", "nnutil."}, nil},
	{"torch.nn.utils.stateless", []string{"nnutil.", "nn."}, nil},
	{"torch.nn.utils.fusion", []string{"nnutil."}, nil},
	{"torch.optim", []string{"optim."}, nil},
	{"torch.optim.Optimizer", []string{"opt."}, nil},
	{"torch.optim.lr_scheduler", []string{"schedule."}, nil},
	{"torch.optim.swa_utils", []string{"swa.", "optim."}, nil},
	{"torch.linalg", []string{"linalg."}, []string{"linalg_"}},
	{"torch.fft", []string{"fft."}, []string{"fft_"}},
	{"torch.special", []string{"special."}, []string{"special_"}},
	{"torch.sparse", []string{"sparse."}, []string{"sparse_", "_sparse_"}},
	{"torch.nested", []string{"nested."}, []string{"nested_", "_nested_"}},
	{"torch.autograd", []string{"torch."}, nil},
	{"torch.autograd.functional", []string{"autograd."}, nil},
	{"torch.func", []string{"functorch.", "nn."}, nil},
	{"torch.distributions", []string{"distributions."}, nil},
	{"torch.distributions.Distribution", []string{"d.", "distributions."}, nil},
	{"torch.distributions.Transform", []string{"t."}, nil},
	{"torch.distributions.transforms", []string{"distributions."}, nil},
	{"torch.distributions.constraints", []string{"constraints."}, nil},
	{"torch.distributions.constraints.Constraint", []string{"c."}, nil},
	{"torch.distributions.constraint_registry", []string{"distributions."}, nil},
	{"torch.distributions.kl", []string{"distributions."}, nil},
	{"torch.utils.checkpoint", []string{"recompute."}, nil},
	{"torch.utils.data", []string{"data."}, nil},
	{"torch.export", []string{"export.", "program."}, nil},
	{"torch.distributed", []string{"distributed.", "g."}, nil},
	{"torch.distributed.ReduceOp", []string{"distributed."}, nil},
	{"torch.distributed.Store", []string{"store."}, nil},
	{"torch.distributed.Work", []string{"work."}, nil},
	{"torch.amp", []string{"amp."}, nil},
	{"torch.cuda", []string{"cuda."}, nil},
	{"torch.profiler", []string{"profiler."}, nil},
	{"torch.profiler.profile", []string{"p."}, nil},
	{"torch.utils.tensorboard.SummaryWriter", []string{"w."}, nil},
	{"torchvision.transforms.v2", []string{"transforms.", "tv."}, nil},
	{"torchvision.transforms.v2.functional", []string{"imageops."}, nil},
	{"torchvision.io", []string{"data."}, nil},
	{"torchvision.models", []string{"models."}, nil},
	{"torchvision.models.segmentation", []string{"segmentation."}, nil},
	{"torchvision.models.detection", []string{"detection."}, nil},
	{"torchvision.models.video", nil, nil},
	{"torchvision.models.optical_flow", nil, nil},
	{"torchvision.models.quantization", nil, nil},
	{"torchvision.ops", []string{"ops."}, nil},
}

// The kinds of rows.
const (
	curated = iota
	generated
	foreign // does not apply
	missing
)

// A row is a name of PyTorch with its status.
type row struct {
	name string
	kind int
	text string // the Go name, or the reason
}

// entries reads a file of two columns separated by a tab. The first column is a name.
func entries(text string) ([][2]string, error) {
	var list [][2]string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, rest, _ := strings.Cut(line, "\t")
		if rest = strings.TrimSpace(rest); rest == "" {
			return nil, fmt.Errorf("%q has no second column", line)
		}
		list = append(list, [2]string{name, rest})
	}
	return list, nil
}

// table returns the rows for all names of PyTorch, grouped by section.
func table(l *library) (map[string][]row, error) {
	spelled, err := entries(spelledText)
	if err != nil {
		return nil, err
	}
	reasons, err := entries(reasonsText)
	if err != nil {
		return nil, err
	}
	planned, err := entries(plannedText)
	if err != nil {
		return nil, err
	}
	other, used := map[string]string{}, map[string]bool{}
	for _, e := range spelled {
		for _, name := range strings.Split(e[1], ", ") {
			if !l.all[name] {
				return nil, fmt.Errorf("spelled.txt: %s: there is no %s", e[0], name)
			}
		}
		other[e[0]] = e[1]
	}
	rows := map[string][]row{}
	for name := range strings.Lines(namesText) {
		name = strings.TrimSpace(name)
		if name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		s, short, err := sectionOf(name)
		if err != nil {
			return nil, err
		}
		r := row{name: name, kind: missing}
		if text, ok := other[name]; ok {
			used[name] = true
			r.kind, r.text = curated, text
		} else if text := l.find(s, short); text != "" {
			r.kind, r.text = curated, text
		}
		for _, e := range reasons {
			if ok, _ := path.Match(e[0], name); !ok {
				continue
			}
			used[e[0]] = true
			// A pattern may match names that gotorch has. But an entry for a single name
			// is an error if gotorch has that name in the expected package.
			if e[0] == name {
				if len(s.labels) > 0 && l.names[s.labels[0]][key(short)] != "" {
					return nil, fmt.Errorf("reasons.txt: %s exists in the library: %s", name, r.text)
				}
				r.kind = missing
			}
			if r.kind == missing {
				r.kind, r.text = foreign, e[1]
			}
		}
		if r.kind == missing {
			if op := l.operator(s, short); op != "" {
				r.kind, r.text = generated, op
			}
		}
		for _, e := range planned {
			if ok, _ := path.Match(e[0], name); ok && r.kind == missing {
				used[e[0]] = true
				r.text = e[1]
			}
		}
		rows[s.name] = append(rows[s.name], r)
	}
	for _, e := range slices.Concat(spelled, reasons, planned) {
		if !used[e[0]] {
			return nil, fmt.Errorf("%s is not a name of PyTorch, or an earlier entry decides it", e[0])
		}
	}
	return rows, nil
}

// sectionOf returns the section that name belongs to, and name without the section's
// prefix.
func sectionOf(name string) (section, string, error) {
	best := section{}
	for _, s := range sections {
		if strings.HasPrefix(name, s.name+".") && len(s.name) > len(best.name) {
			best = s
		}
	}
	short := strings.TrimPrefix(name, best.name+".")
	if best.name == "" || strings.Contains(short, ".") {
		return best, "", fmt.Errorf("%s belongs to no section", name)
	}
	return best, short, nil
}

func (l *library) find(s section, short string) string {
	for _, label := range s.labels {
		if name, ok := l.names[label][key(short)]; ok {
			forms := append([]string{name}, l.forms[label+short]...)
			slices.Sort(forms[1:])
			return strings.Join(slices.Compact(forms), ", ")
		}
	}
	return ""
}

func (l *library) operator(s section, short string) string {
	for _, prefix := range s.ops {
		if name, ok := l.ops[prefix+short]; ok {
			return "aten." + name
		}
	}
	return ""
}

// page returns the text of docs/coverage.md.
func page(rows map[string][]row) string {
	var b strings.Builder
	b.WriteString(head)
	total := [4]int{}
	for _, s := range sections {
		if len(rows[s.name]) == 0 {
			continue
		}
		n := [4]int{}
		for _, r := range rows[s.name] {
			n[r.kind]++
			total[r.kind]++
		}
		anchor := strings.ToLower(strings.ReplaceAll(s.name, ".", ""))
		fmt.Fprintf(&b, "| [%s](#%s) | %d | %d | %d | %d | %d |\n", s.name, anchor, len(rows[s.name]), n[curated],
			n[generated], n[foreign], n[missing])
	}
	fmt.Fprintf(&b, "| all | %d | %d | %d | %d | %d |\n", total[0]+total[1]+total[2]+total[3], total[curated],
		total[generated], total[foreign], total[missing])
	for _, s := range sections {
		if len(rows[s.name]) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n| Python | Go |\n|---|---|\n", s.name)
		for _, r := range rows[s.name] {
			fmt.Fprintf(&b, "| `%s` | %s |\n", strings.TrimPrefix(r.name, s.name+"."), r.cell())
		}
	}
	return b.String()
}

func (r row) cell() string {
	switch r.kind {
	case curated:
		return "`" + strings.ReplaceAll(r.text, ", ", "`, `") + "`"
	case generated:
		return "generated: `" + r.text + "`"
	case foreign:
		return r.text
	}
	return strings.TrimSuffix("**not there yet**: "+r.text, ": ")
}

const head = `# What of PyTorch is there

This page lists every name of the modules in the table below, and its counterpart in gotorch, if
there is one. Search it for a name that you miss. ` + "`go run ./internal/cmd/coverage`" + ` writes
it; a test compares it with the source.

The names are those of PyTorch 2.11.0 and torchvision 0.26.0 themselves, since a wheel has no list
of its documentation:

- from each module, the names with a documentation string (of ` + "`__all__`" + `, where the module has one),
  and dtypes and similar values;
- from torch and Tensor, the names that ` + "`torch.overrides`" + ` lists;
- from torch.distributed, the names that are not another module's.

A name is **curated** where a package has it by hand or from the table of methods, with options,
documentation and typed errors. A name is **generated** where only package ` + "`torch/aten`" + ` has it, as
an operator. Other names do not apply, with the reason, or are not there yet, with what to use
meanwhile. A name that Python overloads has a function for each form, as ` + "`x.Add`" + ` and
` + "`x.AddScalar`" + `.

` + "`x`" + ` is a tensor, ` + "`m`" + ` a module, ` + "`opt`" + ` an optimizer,
` + "`p`" + ` a profile, ` + "`w`" + ` a SummaryWriter, ` + "`d`" + ` a distribution,
` + "`t`" + ` a transform of one, ` + "`c`" + ` a constraint, and ` + "`g`" + ` a process group.
` + "`store`" + ` and ` + "`work`" + ` are what their names say, and ` + "`program`" + ` is a module of torch/export.
` + "`aten`" + ` is the package torch/aten, ` + "`checkpoint`" + ` torch/recompute, and
` + "`autograd`" + ` torch/autograd. ` + "`models`" + `, ` + "`segmentation`" + `, ` + "`ops`" + ` and
` + "`tv`" + `, which is vision/transforms, are of vision, a module of its own
([Models for images](vision.md)). [Porting](porting.md#not-supported-yet) says which modules are
to come.

| Module | Names | Curated | Generated | Do not apply | Not there yet |
|---|---|---|---|---|---|
`

func main() {
	log.SetFlags(0)
	l, err := read(".")
	if err != nil {
		log.Fatal(err)
	}
	rows, err := table(l)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("docs/coverage.md", []byte(page(rows)), 0o644); err != nil {
		log.Fatal(err)
	}
	if slices.Contains(os.Args[1:], "-missing") {
		for _, s := range sections {
			for _, r := range rows[s.name] {
				if r.kind == missing || r.kind == generated {
					fmt.Println(r.name, r.text)
				}
			}
		}
	}
}
