package egress

import (
	"net"
	"strings"
	"testing"

	"github.com/orthd/orth/job"
)

// Machines of an operator may be reached, and what jobs may never call may not.
func TestCheckReach(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"127.0.0.1": "", "::1": "", "10.1.2.3": "", "192.168.7.7": "", "fd00::1": "", "100.64.1.1": "", "8.8.8.8": "", "2606:4700::1111": "", "::ffff:10.1.2.3": "",
		"64:ff9b::a01:203": "", "169.254.169.254": "metadata", "::ffff:169.254.169.254": "metadata", "64:ff9b::a9fe:a9fe": "metadata",
		"100.100.100.200": "metadata", "168.63.129.16": "metadata", "fd00:ec2::254": "metadata", "fd20:ce::254": "metadata", "169.254.1.1": "link-local",
		"fe80::1%lo": "link-local", "0.0.0.0": "reserved", "::": "reserved", "255.255.255.255": "reserved", "224.0.0.1": "multicast", "ff02::1": "multicast",
		"240.0.0.1": "reserved", "64:ff9b:1::a9fe:a9fe": "reserved", "2002:a9fe:a9fe::": "reserved", "::a9fe:a9fe": "reserved", "64:ff9b::": "reserved",
	} {
		err := CheckReach("tcp", net.JoinHostPort(address, "80"), nil)
		if want == "" && err != nil || want != "" && (!job.Is(err, job.Refused) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
	if err := CheckReach("tcp", "executor:80", nil); !job.Is(err, job.Refused) {
		t.Errorf("a name: %v", err)
	}
}

// Hosts that some resolvers make an address of are distinguished from names.
func TestNumeric(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"2130706433": true, "0x7f.1": true, "0X7F000001": true, "127.1": true, "0": true, "0177.0.0.1": true, "127.0.0.1.": true, "1.2.3.4.5": true, "a.0x": true, "a.09": true,
		"127.0.0.1": false, "::1": false, "fe80::1%eth0": false, "": false, "executor": false, "executor-7": false, "7.example.com": false, "x0x7": false, "a.0xg": false, "7.example.com.": false,
	} {
		if got := Numeric(host); got != want {
			t.Errorf("%q: %t", host, got)
		}
	}
	c := client(t, Config{Private: true})
	for _, address := range []string{"http://2130706433/", "http://0x7f.1/", "http://127.1/"} {
		if _, err := get(t, c, address); !job.Is(err, job.Refused) || !strings.Contains(err.Error(), "ends in a number") {
			t.Errorf("%s: %v", address, err)
		}
	}
}
