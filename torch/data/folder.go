package data

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
)

// DatasetFolder is a dataset of files in directories, one directory for each class:
//
//	root/cat/1.png
//	root/cat/more/2.png
//	root/dog/1.png
//
// Input is the tensor that a load function returns for the file; Target is the index of
// the class, an int64 of shape (). A DatasetFolder needs no Close. It is safe for use by
// several goroutines if the load function and the transform are. Follows
// torchvision.datasets.DatasetFolder.
type DatasetFolder struct {
	root    string
	load    func(path string) (*torch.Tensor, error)
	opts    folderSettings
	classes []string
	samples []FolderSample
}

// FolderSample is a file of a [DatasetFolder] and the index of its class.
type FolderSample struct {
	Path  string
	Class int
}

// String returns a string such as "root/cat/1.png: 0".
func (s FolderSample) String() string { return fmt.Sprintf("%s: %d", s.Path, s.Class) }

// NewDatasetFolder lists the files below root; load reads the file of an example when the
// example is requested. The classes are the directories in root, sorted by name. The
// files of a class are sorted by directory and name; symbolic links are followed. Either
// [Extensions] or [IsValidFile] is required.
//
// It returns a *FileError if a directory cannot be read. The error wraps fs.ErrNotExist
// if there is no class or, without [AllowEmpty], if a class has no file. It panics with
// ErrNil for a nil load or option, and with ErrValue unless exactly one of Extensions and
// IsValidFile is given.
func NewDatasetFolder(root string, load func(path string) (*torch.Tensor, error),
	opts ...DatasetFolderOption,
) (*DatasetFolder, error) {
	if load == nil {
		panic(torch.NilFunc("data.NewDatasetFolder", "load"))
	}
	d := &DatasetFolder{root: root, load: load, opts: readDatasetFolder(opts)}
	if err := d.find(); err != nil {
		return nil, err
	}
	return d, nil
}

// ImageFolder is a [DatasetFolder] of images. Its inputs are uint8 (3, height, width)
// unless options change that. Follows torchvision.datasets.ImageFolder, with tensors
// instead of Pillow's images.
type ImageFolder struct{ DatasetFolder }

// NewImageFolder lists the images below root, as [NewDatasetFolder] lists files.
// [ReadImage] reads them, in mode [ImageReadModeRGB] unless an option sets a different
// mode. The errors and panics are those of both functions.
func NewImageFolder(root string, opts ...ImageFolderOption) (*ImageFolder, error) {
	f, im := readImageFolder(opts)
	d := &ImageFolder{DatasetFolder{root: root, load: im.file, opts: f}}
	if err := d.find(); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *DatasetFolder) find() error {
	entries, err := os.ReadDir(d.root)
	if err != nil {
		return &FileError{Path: d.root, Detail: "the folder cannot be read", Err: fileerr.WithoutPath(err)}
	}
	for _, e := range entries { // os.ReadDir sorts the directories by name
		if info, err := os.Stat(filepath.Join(d.root, e.Name())); err == nil && info.IsDir() {
			d.classes = append(d.classes, e.Name())
		}
	}
	if len(d.classes) == 0 {
		return &FileError{Path: d.root, Detail: "has no folders; expected one for each class", Err: fs.ErrNotExist}
	}
	var empty []string
	for class, name := range d.classes {
		before := len(d.samples)
		if err := d.findIn(filepath.Join(d.root, name), class); err != nil {
			return err
		}
		if len(d.samples) == before {
			empty = append(empty, name)
		}
	}
	if len(empty) > 0 && !d.opts.allowEmpty {
		detail := "there is no valid file for the classes " + strings.Join(empty, ", ")
		if d.opts.isValid == nil {
			detail += "; the extensions are " + strings.Join(d.opts.extensions, ", ")
		}
		return &FileError{Path: d.root, Detail: detail, Err: fs.ErrNotExist}
	}
	return nil
}

// mostLinked is the largest number of folders of a class that links lead to. A few links from each
// folder to the next one lead to the last one in any number of ways.
const mostLinked = 100_000

// findIn appends the files of a class to d.samples, in the order of the directories'
// paths. It does not follow a symbolic link to an enclosing directory, because it would
// then never end.
func (d *DatasetFolder) findIn(top string, class int) error {
	files := map[string][]string{}
	links := 0 // the number of folders below links
	var walk func(folder string, above []os.FileInfo, below bool) error
	walk = func(folder string, above []os.FileInfo, below bool) error {
		if below {
			if links++; links > mostLinked {
				return &FileError{
					Path: top, Kind: torch.ErrFormat,
					Detail: fmt.Sprintf("links lead to more than %d folders", mostLinked),
				}
			}
		}
		info, err := os.Stat(folder)
		if err == nil && slices.ContainsFunc(above, func(a os.FileInfo) bool { return os.SameFile(a, info) }) {
			return nil
		}
		var entries []os.DirEntry
		if err == nil {
			entries, err = os.ReadDir(folder)
		}
		if err != nil {
			return &FileError{Path: folder, Detail: "the folder cannot be read", Err: fileerr.WithoutPath(err)}
		}
		above = append(above[:len(above):len(above)], info)
		for _, e := range entries {
			path := filepath.Join(folder, e.Name())
			linked := e.Type()&fs.ModeSymlink != 0
			if target, err := os.Stat(path); e.IsDir() || linked && err == nil && target.IsDir() {
				if err := walk(path, above, below || linked); err != nil {
					return err
				}
			} else if d.opts.belongs(path) {
				files[folder] = append(files[folder], path)
			}
		}
		return nil
	}
	if err := walk(top, nil, false); err != nil {
		return err
	}
	folders := make([]string, 0, len(files))
	for folder := range files {
		folders = append(folders, folder)
	}
	slices.Sort(folders)
	for _, folder := range folders {
		for _, path := range files[folder] {
			d.samples = append(d.samples, FolderSample{path, class})
		}
	}
	return nil
}

// Len returns the number of files.
func (d *DatasetFolder) Len() int {
	mustBeMade("data.DatasetFolder.Len", d.isMade())
	return len(d.samples)
}

func (d *DatasetFolder) isMade() bool { return d != nil && d.load != nil }

// Get is [DatasetFolder.TryGet], but panics with the error.
func (d *DatasetFolder) Get(i int) Example {
	e, err := d.TryGet(i)
	return orPanic("data.DatasetFolder.Get", e, err)
}

// TryGet reads file i. The tensors are new. It returns the error of the load function, or a
// *FileError if the function returned no tensor. It panics with ErrIndex if i is out of
// range, and as the transform does.
func (d *DatasetFolder) TryGet(i int) (Example, error) {
	const op = "data.DatasetFolder.TryGet"
	mustBeMade(op, d.isMade())
	mustBeIndex(op, len(d.samples), i)
	s := d.samples[i]
	var err error
	both := torch.TidyAll(func() []*torch.Tensor {
		var x *torch.Tensor
		if x, err = d.load(s.Path); err != nil {
			return nil
		}
		if x != nil && d.opts.transform != nil {
			x = d.opts.transform.Forward(x)
		}
		if x == nil {
			err = &FileError{Path: s.Path, Kind: torch.ErrFormat, Detail: "the load function returned no tensor"}
			return nil
		}
		class := int64(s.Class)
		if d.opts.target != nil {
			class = d.opts.target(class)
		}
		return []*torch.Tensor{x, torch.FromSliceWith([]int64{class}, torch.Shape{}, torch.CPU)}
	})
	if err != nil {
		return Example{}, err
	}
	return exampleOf(both), nil
}

// Root returns the directory of the dataset.
func (d *DatasetFolder) Root() string {
	mustBeMade("data.DatasetFolder.Root", d.isMade())
	return d.root
}

// Classes returns the names of the classes, in the order of their indices.
func (d *DatasetFolder) Classes() []string {
	mustBeMade("data.DatasetFolder.Classes", d.isMade())
	return slices.Clone(d.classes)
}

// ClassToIdx returns the index of each class by its name.
func (d *DatasetFolder) ClassToIdx() map[string]int {
	mustBeMade("data.DatasetFolder.ClassToIdx", d.isMade())
	m := make(map[string]int, len(d.classes))
	for i, c := range d.classes {
		m[c] = i
	}
	return m
}

// Samples returns the files with their classes, in the order of the examples.
func (d *DatasetFolder) Samples() []FolderSample {
	mustBeMade("data.DatasetFolder.Samples", d.isMade())
	return slices.Clone(d.samples)
}

// Targets returns the class index of each example.
func (d *DatasetFolder) Targets() []int {
	mustBeMade("data.DatasetFolder.Targets", d.isMade())
	t := make([]int, len(d.samples))
	for i, s := range d.samples {
		t[i] = s.Class
	}
	return t
}

// String returns the text that Python prints for the dataset.
func (d *DatasetFolder) String() string { return d.describe("DatasetFolder") }

// String returns the text that Python prints for the dataset.
func (d *ImageFolder) String() string {
	if d == nil {
		return "ImageFolder(nil)"
	}
	return d.describe("ImageFolder")
}

func (d *DatasetFolder) describe(name string) string {
	if !d.isMade() {
		return name + "(nil)"
	}
	s := fmt.Sprintf("Dataset %s\n    Number of datapoints: %d\n    Root location: %s", name, d.Len(), d.root)
	if t := d.opts.transform; t != nil {
		const head = "Transform: "
		s += "\n    StandardTransform\n" + head + strings.ReplaceAll(fmt.Sprint(t), "\n",
			"\n"+strings.Repeat(" ", len(head)))
	}
	return s
}
