package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

func screenSize(file *os.File) (columns, rows int) {
	var info windows.ConsoleScreenBufferInfo
	if err := windows.GetConsoleScreenBufferInfo(windows.Handle(file.Fd()), &info); err != nil {
		return 0, 0
	}
	return int(info.Window.Right-info.Window.Left) + 1, int(info.Window.Bottom-info.Window.Top) + 1
}

// showsColours enables escape sequences of the console; old consoles do not support them.
func showsColours(file *os.File) bool {
	var mode uint32
	handle := windows.Handle(file.Fd())
	if err := windows.GetConsoleMode(handle, &mode); err != nil {
		return false
	}
	return windows.SetConsoleMode(handle, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}

// silence disables echo until the returned function is called.
func silence(file *os.File) (restore func(), err error) {
	var before uint32
	handle := windows.Handle(file.Fd())
	if err := windows.GetConsoleMode(handle, &before); err != nil {
		return nil, err
	}
	if err := windows.SetConsoleMode(handle, before&^uint32(windows.ENABLE_ECHO_INPUT)); err != nil {
		return nil, err
	}
	return func() { _ = windows.SetConsoleMode(handle, before) }, nil
}
