package harness

import "path/filepath"

// jpegs compares a loader with two workers with Python's loader, which has two processes
// and uses Pillow. Both decode, resize and normalize 256 images of 640 x 480.
func jpegs() Group {
	return Group{
		Measures: []Measure{
			{ID: "ours", By: "jpeg_ours", Program: true},
			{ID: "python", By: "jpeg_python", Program: true},
		},
		Rows: []Row{
			{"data.jpeg.python", "ns", named("ours", "ns"), named("python", "ns"), pythonName},
			{"data.jpeg.memory", "bytes", named("ours", "pss"), named("python", "pss"), "all of Python's processes"},
		},
	}
}

// jpegImages creates the images if necessary. It returns the program that creates them,
// and their directory.
func (b *Toolbox) jpegImages() (binary, folder string, err error) {
	if binary, err = b.goBuild("jpeg", "torch/data/codecs", "./internal/bench"); err != nil {
		return "", "", err
	}
	folder = filepath.Join(b.build, "images")
	if _, err := b.output(binary, "-make", "256", folder); err != nil {
		return "", "", err
	}
	return binary, filepath.Join(folder, "images"), nil
}

func prepareJPEGOurs(b *Toolbox) (command, error) {
	binary, folder, err := b.jpegImages()
	return program(nil, binary, folder), err
}

func prepareJPEGPython(b *Toolbox) (command, error) {
	_, folder, err := b.jpegImages()
	if err != nil {
		return nil, err
	}
	python, err := b.Python()
	return program(nil, python, b.path("bench/python/jpeg.py"), folder), err
}
