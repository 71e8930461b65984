package xxladmin

import (
	"strings"
	"testing"
)

func TestGroupForms(t *testing.T) {
	t.Parallel()
	for path, forms := range map[string]map[string]string{
		"jobgroup/save": {
			"appname=a&title=A": `a token: POST /api/v1/groups {"key":"a","title":"A"}`,
			"appname=a&name=A&addressType=0&addressList=http://x/": `a token: POST /api/v1/groups {"key":"a","title":"A"}`,
			"appname=a&addressType=1&addressList=http://x/,+,http://x/": `a token: POST /api/v1/groups {"key":"a"}` + "\n" +
				`a token: POST /api/v1/groups/a/addresses {"address":"http://x/"}`,
		},
		"jobgroup/update": {
			"id=3":                       `a token: PATCH /api/v1/groups/reports {"title":"Reports"}`,
			"id=3&title=":                `a token: PATCH /api/v1/groups/reports {"title":"Reports"}`,
			"id=3&title=R&addressType=0": `a token: PATCH /api/v1/groups/reports {"title":"R"}`,
			"id=4&appname=billing":       `a token: PATCH /api/v1/groups/billing {"title":""}`,
			"id=4&addressType=1&addressList=http://10.0.0.6:9999,http://10.0.0.5:9999": `a token: PATCH /api/v1/groups/billing {"title":""}`,
		},
	} {
		for form, want := range forms {
			w := newWorld()
			if _, got := post(t, w.handler(t), path, form); got != done && !strings.Contains(got, `"code":200`) || w.take() != want {
				t.Errorf("%s %s: %s, %q", path, form, got, w.requests)
			}
		}
	}
	for form, want := range map[string]string{
		"title=A":                 "appname: is missing",
		"appname=a&addressType=2": "addressType: 2 is unknown; use 0",
		"appname=a&addressType=x": "addressType: ",
		"appname=a&addressType=1": "addressList: is empty",
		"appname=a&addressType=1&addressList=10.0.0.1:9999":        "is not the base URL of an executor",
		"appname=a&addressType=1&addressList=javascript:alert(1)":  "is not the base URL of an executor",
		"appname=a&addressType=1&addressList=file:///etc/passwd":   "is not the base URL of an executor",
		"appname=a&addressType=1&addressList=" + manyAddresses(65): "has more than 64 addresses",
	} {
		w := newWorld()
		if _, got := post(t, w.handler(t), "jobgroup/save", form); !strings.Contains(got, want) || w.requests != nil {
			t.Errorf("%s: %s, %q", form, got, w.requests)
		}
	}
	for path, form := range map[string]string{"jobgroup/update": "id=9&title=x", "jobgroup/remove": "id=9", "jobgroup/delete": "ids[]=9", "jobgroup/loadById": "id=9"} {
		w := newWorld()
		if _, got := post(t, w.handler(t), path, form); !strings.Contains(got, textNoGroup+": there is no group 9 that you may see") || w.requests != nil {
			t.Errorf("%s: %s, %q", path, got, w.requests)
		}
	}
}

func manyAddresses(n int) string {
	var all []string
	for i := range n {
		all = append(all, "http://10.0.0."+seq(i, i)+"/")
	}
	return strings.Join(all, ",")
}
