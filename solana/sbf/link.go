package sbf

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrObject is wrapped by every error about an object that cannot become a program.
var ErrObject = errors.New("not an object for a program")

// Where the machine sees the parts of a program of version 3.
const (
	constantsAt = 0
	codeAt      = 1 << 32
)

// Relocations of BPF that clang makes.
const (
	relocateAddress = 1  // R_BPF_64_64: an instruction of 16 bytes loads the address of a symbol
	relocateCall    = 10 // R_BPF_64_32: a call
)

// The upper half of a call's second byte encodes the kind of its target.
const callOfProgram = 1 << 4

// entry is the function at which the machine begins.
const entry = "entrypoint"

// linker puts the sections of an object together.
type linker struct {
	file      *elf.File
	symbols   []elf.Symbol
	places    map[elf.SectionIndex]place
	code      []byte
	constants []byte
}

// place is where a section has got to.
type place struct {
	isCode bool
	at     uint64
}

// Link makes a program of an object that clang has compiled with -target bpf and -mcpu=v2. Functions that the object does not
// have must be calls of the system, whose names begin with sol_. The result depends on nothing but the object.
func Link(object io.ReaderAt) ([]byte, error) {
	file, err := elf.NewFile(object)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrObject, err)
	}
	if file.Machine != elf.EM_BPF || file.Type != elf.ET_REL {
		return nil, fmt.Errorf("%w: it is a %s for %s, and must be a relocatable object for BPF", ErrObject, file.Type, file.Machine)
	}
	symbols, err := file.Symbols()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrObject, err)
	}
	l := &linker{file: file, symbols: symbols, places: map[elf.SectionIndex]place{}}
	if err := l.collect(); err != nil {
		return nil, err
	}
	start, err := l.start()
	if err != nil {
		return nil, err
	}
	if err := l.relocate(); err != nil {
		return nil, err
	}
	return program(l.constants, l.code, start), nil
}

// collect gathers code and constants.
func (l *linker) collect() error {
	for i, s := range l.file.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || s.Size == 0 {
			continue
		}
		if s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_WRITE != 0 {
			return fmt.Errorf("%w: section %s holds variables, which a program cannot have", ErrObject, s.Name)
		}
		data, err := s.Data()
		if err != nil {
			return fmt.Errorf("%w: section %s: %w", ErrObject, s.Name, err)
		}
		target := &l.constants
		isCode := s.Flags&elf.SHF_EXECINSTR != 0
		if isCode {
			target = &l.code
		}
		*target = padded(*target, 16)
		l.places[elf.SectionIndex(i)] = place{isCode: isCode, at: uint64(len(*target))}
		*target = append(*target, data...)
	}
	l.constants, l.code = padded(l.constants, 8), padded(l.code, 8)
	return nil
}

// padded brings bytes to a multiple of a size.
func padded(data []byte, size int) []byte {
	return append(data, make([]byte, (size-len(data)%size)%size)...)
}

// start finds where the program begins, in bytes of its code.
func (l *linker) start() (uint64, error) {
	for _, s := range l.symbols {
		if p, found := l.places[s.Section]; s.Name == entry && found && p.isCode {
			return p.at + s.Value, nil
		}
	}
	return 0, fmt.Errorf("%w: it has no function %s", ErrObject, entry)
}

// relocate puts addresses into the code.
func (l *linker) relocate() error {
	for _, s := range l.file.Sections {
		target, used := l.places[elf.SectionIndex(s.Info)]
		if s.Type != elf.SHT_REL || !used {
			continue
		}
		if !target.isCode {
			return fmt.Errorf("%w: constants of section %s hold addresses: use numbers or switch", ErrObject, l.file.Sections[s.Info].Name)
		}
		entries, err := s.Data()
		if err != nil {
			return fmt.Errorf("%w: section %s: %w", ErrObject, s.Name, err)
		}
		for ; len(entries) >= 16; entries = entries[16:] {
			at := binary.LittleEndian.Uint64(entries) + target.at
			info := binary.LittleEndian.Uint64(entries[8:])
			number := info >> 32
			if number == 0 || number > uint64(len(l.symbols)) || at+16 > uint64(len(l.code)) && at+8 > uint64(len(l.code)) {
				return fmt.Errorf("%w: section %s relocates what is not there", ErrObject, s.Name)
			}
			if err := l.apply(uint32(info), at, l.symbols[number-1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// apply does one relocation, at a byte of the code.
func (l *linker) apply(kind uint32, at uint64, symbol elf.Symbol) error {
	number := l.code[at+4 : at+8] // of the instruction
	added := binary.LittleEndian.Uint32(number)
	to, found := l.places[symbol.Section]
	switch {
	case kind == relocateAddress && found && at+16 <= uint64(len(l.code)):
		address := constantsAt + to.at + symbol.Value + uint64(added)
		if to.isCode {
			address += codeAt
		}
		binary.LittleEndian.PutUint32(number, uint32(address))
		binary.LittleEndian.PutUint32(l.code[at+12:], uint32(address>>32))
	case kind == relocateCall && found && to.isCode:
		callee := int64((to.at+symbol.Value)/8) + int64(int32(added)) + 1
		l.code[at+1] = callOfProgram
		binary.LittleEndian.PutUint32(number, uint32(int32(callee-int64(at/8)-1)))
	case kind == relocateCall && symbol.Section == elf.SHN_UNDEF && strings.HasPrefix(symbol.Name, "sol_"):
		l.code[at+1] = 0
		binary.LittleEndian.PutUint32(number, murmur3([]byte(symbol.Name)))
	case symbol.Section == elf.SHN_UNDEF:
		return fmt.Errorf("%w: %s is not defined, and no call of the system", ErrObject, symbol.Name)
	default:
		return fmt.Errorf("%w: a relocation of kind %d to %q is not known", ErrObject, kind, symbol.Name)
	}
	return nil
}
