//go:build !linux

package wholefile

import "os"

// begin does nothing where no call of the system does.
func begin(*os.File, int64, int64) {}
