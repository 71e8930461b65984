package schedule

import _ "time/tzdata" // the tests do not depend on the machine's zones
