//go:build linux

package team

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCgroupCPUs(t *testing.T) {
	const cpuMax = "sys/fs/cgroup/cpu.max"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  int
	}{
		{"no files", nil, 0},
		{"no limit", map[string]string{"proc/self/cgroup": "0::/\n", cpuMax: "max 100000\n"}, 0},
		{"two CPUs", map[string]string{"proc/self/cgroup": "0::/\n", cpuMax: "200000 100000\n"}, 2},
		{"rounded up", map[string]string{"proc/self/cgroup": "0::/\n", cpuMax: "120000 100000\n"}, 2},
		{"a part of one", map[string]string{"proc/self/cgroup": "0::/\n", cpuMax: "20000 100000\n"}, 1},
		{"the group around is lower", map[string]string{
			"proc/self/cgroup":          "0::/a/b\n",
			"sys/fs/cgroup/a/b/cpu.max": "400000 100000\n",
			"sys/fs/cgroup/a/cpu.max":   "300000 100000\n",
		}, 3},
		{
			"groups that cannot be seen",
			map[string]string{"proc/self/cgroup": "0::/docker/0123\n", cpuMax: "50000 25000\n"},
			2,
		},
		{"version 1", map[string]string{
			"proc/self/cgroup":                      "5:memory:/a\n4:cpu,cpuacct:/a\n0::/\n",
			"sys/fs/cgroup/cpu/a/cpu.cfs_quota_us":  "250000\n",
			"sys/fs/cgroup/cpu/a/cpu.cfs_period_us": "100000\n",
		}, 3},
		{"version 1 without a limit", map[string]string{
			"proc/self/cgroup":                    "4:cpuacct,cpu:/\n",
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us":  "-1\n",
			"sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
		}, 0},
		{"not a number", map[string]string{"proc/self/cgroup": "0::/\nnonsense\n", cpuMax: "much\n"}, 0},
	} {
		root := t.TempDir()
		for name, text := range c.files {
			path := filepath.Join(root, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		}
		assert.Equal(t, c.want, cgroupCPUs(root), c.name)
	}
}
