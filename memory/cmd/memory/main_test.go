package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const testdata = "../../testdata/"

func command(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(args, &out, &err)
	return status, out.String(), err.String()
}

func TestVizWritesPage(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile(testdata + "snapshot_p4.pickle")
	require.NoError(t, err)
	snapshot := filepath.Join(dir, "train.pickle")
	require.NoError(t, os.WriteFile(snapshot, text, 0o600))
	status, out, _ := command("viz", snapshot)
	require.Zero(t, status)
	page := filepath.Join(dir, "train.html")
	assert.Equal(t, page+"\n", out)
	html, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Contains(t, string(html), "<title>Memory: train.pickle</title>")
}

func TestVizDiff(t *testing.T) {
	status, out, _ := command("viz", "-o", "-", "-diff", testdata+"snapshot_p2.pickle", testdata+"snapshot.json")
	require.Zero(t, status)
	assert.Contains(t, out, "<title>Memory: snapshot_p2.pickle and snapshot.json</title>")
}

func TestWrongCommandLines(t *testing.T) {
	for _, args := range [][]string{
		{},
		{"draw"},
		{"viz"},
		{"viz", "a", "b"},
		{"viz", "-diff", "a"},
		{"viz", "-x", "a"},
	} {
		status, _, errs := command(args...)
		assert.Equal(t, 2, status, "%v", args)
		assert.Contains(t, errs, "usage:", "%v", args)
	}
	status, _, errs := command("viz", "-h")
	assert.Zero(t, status)
	assert.Contains(t, errs, "compare two snapshots")
}

func TestVizFails(t *testing.T) {
	status, _, errs := command("viz", testdata+"absent.pickle")
	assert.Equal(t, 1, status)
	assert.Contains(t, errs, "absent.pickle: cannot be opened")
	status, _, errs = command("viz", testdata+"make_snapshot.py")
	assert.Equal(t, 1, status)
	assert.Contains(t, errs, "memory: snapshot")
	missing := filepath.Join(t.TempDir(), "no", "folder", "page.html")
	status, _, errs = command("viz", "-o", missing, testdata+"snapshot_p2.pickle")
	assert.Equal(t, 1, status)
	assert.Contains(t, errs, "memory viz: create")
}

// A link beside the snapshot is replaced. The file that it leads to stays.
func TestVizDoesNotFollowLinks(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile(testdata + "snapshot_p4.pickle")
	require.NoError(t, err)
	snapshot, page := filepath.Join(dir, "a.pickle"), filepath.Join(dir, "a.html")
	other := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(snapshot, text, 0o600))
	require.NoError(t, os.WriteFile(other, []byte("mine"), 0o600))
	require.NoError(t, os.Symlink(other, page))
	status, _, errs := command("viz", snapshot)
	require.Zero(t, status, errs)
	got, err := os.ReadFile(other)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(got))
	info, err := os.Lstat(page)
	require.NoError(t, err)
	assert.True(t, info.Mode().IsRegular())
}
