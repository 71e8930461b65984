package registry

import (
	"strings"
	"testing"

	"github.com/orthd/orth/job"
)

// TestNobodyIsNowhere: what is no machine of an executor is neither registered nor
// entered by hand, unless a rule makes something of it.
func TestNobodyIsNowhere(t *testing.T) {
	t.Parallel()
	store := newRows()
	r := New(Config{Store: store})
	for address, good := range map[string]bool{
		"http://169.254.169.254/": false, "http://169.254.170.2/latest": false, "http://[fe80::1%25eth0]:9999/": false, "http://[::ffff:169.254.169.254]/": false,
		"http://[fd00:ec2::254]/": false, "http://100.100.100.200/": false, "https://168.63.129.16/": false,
		"http://0.0.0.0:9999/": false, "http://[::]:9999/": false, "http://224.0.0.1/": false, "http://[ff02::1]/": false, "http://255.255.255.255/": false,
		"http://2852039166/": false, "http://0xa9fea9fe/": false, "http://0xA9.254.43518/": false, "http://169.254.43518:80/": false, "http://2130706433:9999/": false,
		"http://0x7f.1:9999/": false, "http://127.1:9999/": false, "http://0177.0.0.1/": false, "http://0/": false, "http://127.0.0.1.:9999/": false, "http://0x/": false,
		"http://[64:ff9b::a9fe:a9fe]/": false, "http://[::169.254.169.254]/": false, "http://[2002:a9fe:a9fe::]/": false, "http://[::ffff:0.0.0.0]/": false,
		"http://[fd00:ec2:1::1]/": false, "http://192.0.0.192/": false, "http://240.0.0.1/": false, "http://169.254.169.254./": false,
		"http://executor-7:9999/": true, "http://7.executors.example.com/": true, "http://x0x1/": true,
		"http://127.0.0.1:9999/": true, "http://[::1]:9999/": true, "http://10.0.0.1:9999": true, "http://8.8.8.8": true, "http://[fd00::1]": true, "http://executor:9999/": true,
		"pull://169.254.1.1/x": true, // the name of a group
	} {
		err := r.Register(t.Context(), job.Beat{Group: "g", Address: address})
		if good && err != nil || !good && (!job.Is(err, job.Invalid) || !strings.Contains(err.Error(), "no executor can be called there")) {
			t.Errorf("register %s: %v", address, err)
		}
		if _, err := r.AddAddress(t.Context(), "h", address, ""); good != (err == nil) && !strings.HasPrefix(address, "pull:") {
			t.Errorf("add %s: %v", address, err)
		}
	}
	if err := r.SaveRewrites(t.Context(), "g", []job.Rewrite{{From: "http://0.0.0.0:", To: "http://gateway:{port}"}}); err != nil {
		t.Fatal(err)
	}
	if err := r.Register(t.Context(), job.Beat{Group: "g", Address: "http://0.0.0.0:9999/"}); err != nil {
		t.Errorf("one that is replaced: %v", err)
	}
	if err := r.SaveRewrites(t.Context(), "g", []job.Rewrite{{From: "http://a", To: "http://169.254.169.254"}}); !job.Is(err, job.Invalid) {
		t.Errorf("a rule that leads nowhere: %v", err)
	}
}
