package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/batching"
	"github.com/gotorch/gotorch/torchtest"
)

// short returns the settings of a short run that writes to a new directory.
func short(t *testing.T, epochs int) config {
	c := defaults
	c.out, c.epochs = t.TempDir(), epochs
	return c
}

// run trains, and returns the accuracy and the printed lines.
func run(t *testing.T, c config) (float64, []string) {
	t.Helper()
	var out bytes.Buffer
	accuracy, err := train(context.Background(), c, &out)
	if err != nil {
		t.Fatal(err)
	}
	return accuracy, strings.Split(strings.TrimSpace(out.String()), "\n")
}

// The model learns the classes, and the training leaves no native memory behind.
func TestLearns(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	if accuracy, lines := run(t, short(t, 20)); accuracy < 0.9 {
		t.Errorf("accuracy %v after 20 epochs:\n%s", accuracy, strings.Join(lines, "\n"))
	}
}

// A resumed run computes the same as a run without interruption.
func TestResume(t *testing.T) {
	_, want := run(t, short(t, 3))
	c := short(t, 2)
	run(t, c)
	c.epochs, c.resume = 3, true
	if _, got := run(t, c); got[0] != want[2] {
		t.Errorf("epoch 3 after a resume: %q, without: %q", got[0], want[2])
	}
}

// After Ctrl-C the state is saved, and the run can continue.
func TestInterrupt(t *testing.T) {
	c := short(t, 2)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := train(ctx, c, new(bytes.Buffer)); !errors.Is(err, errInterrupted) {
		t.Fatalf("got the error %v", err)
	}
	c.resume = true
	run(t, c)
}

// The server answers with a class and the scores, and refuses input of a wrong size.
func TestServe(t *testing.T) {
	c := short(t, 20)
	run(t, c)
	defer torchtest.CheckLeaks(t)()
	source, err := load(c.data)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	model, err := trained(c, source)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	batcher := batching.NewBatcher(model.Forward, batching.InputShape{source.inputs})
	defer func() {
		if err := batcher.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	for body, want := range map[string]string{
		"[0, 0]":  `"class":"inside"`,
		"[1, -1]": `"class":"outside"`,
		"[0]":     "expected",
		"{":       "unexpected EOF",
	} {
		answer := httptest.NewRecorder()
		request := httptest.NewRequest(http.MethodPost, "/predict", strings.NewReader(body))
		predict(batcher, source.classes)(answer, request)
		if got := answer.Body.String(); !strings.Contains(got, want) {
			t.Errorf("%s: %d %s", body, answer.Code, got)
		}
	}
}

// A server ends when its context does.
func TestServeEnds(t *testing.T) {
	c := short(t, 1)
	run(t, c)
	c.serve = "127.0.0.1:0"
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := serve(ctx, c); err != nil {
		t.Error(err)
	}
	c.out = t.TempDir()
	if err := serve(ctx, c); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without weights: %v", err)
	}
}

// The model has one score for each example and class.
func TestModel(t *testing.T) {
	torch.Scope(func() {
		model := newModel(2, 3)
		defer model.Close()
		if got := model.Forward(torch.Ones(torch.Shape{5, 2})).Shape(); !got.Equal(torch.Shape{5, 3}) {
			t.Errorf("the output has shape %v", got)
		}
	})
}
