PRAGMA application_id=1279345732;
PRAGMA user_version=2;
BEGIN TRANSACTION;
CREATE TABLE guard (           -- one row: what the guard was made with; only the note may change
        only INTEGER PRIMARY KEY DEFAULT 1 CHECK (only = 1),
        metric TEXT NOT NULL,
        metric_parameters TEXT NOT NULL,
        lower_is_better INTEGER NOT NULL,
        mechanism TEXT NOT NULL,
        mechanism_parameters TEXT NOT NULL,
        items INTEGER NOT NULL,
        salt BLOB NOT NULL,
        labels_hash BLOB NOT NULL,
        secret BLOB NOT NULL,
        note TEXT NOT NULL DEFAULT ''
    );
INSERT INTO "guard" VALUES(1,'error_rate','{}',1,'witness_ladder','{"alpha": 0.05, "benefit": 1.0, "first_step": 0.5, "gate_share": 0.5, "grid": 0.5, "growth": 0.125}',200,X'C3F78D8CA015DA6056019512A7FD6727',X'63EFEAE62E8B4C8704B6F051813419BD0FB6463C3339D43B3861FB0BBF19BF30',X'5963E55394727F67DC32DC0353705A116E4BECB9C223639A218F396926508A20','');
CREATE TABLE incumbent (       -- the predictions to beat, and those of the last proven entry
        submission BLOB PRIMARY KEY,
        encoding TEXT NOT NULL,
        predictions BLOB NOT NULL
    );
INSERT INTO "incumbent" VALUES(X'C1B94536CC13044DCFEBA2113F453A86','npy+zlib',X'78019BEC17EA1B10C9C850C650AD9E925A9C5CA46EA5A05E9369A8AEA3A09E965F54529498179F5F94920A12774BCC294E058A17672416A402F91A4606063A9A3A0AB50A64032E06465C90119B0C030ED520716C720C8C4080430F41714C9D9822200B40E6030045361C1F');
CREATE TABLE progress (        -- one row, replaced by every attempt
        only INTEGER PRIMARY KEY CHECK (only = 1),
        state TEXT NOT NULL,
        leakage TEXT NOT NULL
    );
INSERT INTO "progress" VALUES(1,'{"accepts": 3, "attempts": 3, "incumbent": "c1b94536cc13044dcfeba2113f453a86", "memory": {"split_seed": 5486557759335579440}, "proof": {"accepts": 3, "submission": "c1b94536cc13044dcfeba2113f453a86", "value": 0.052}, "released": 0.052, "standard_error": 0.01801}','{"attempts": 3, "accepts": 3, "bits": 28.38244988459754, "overfit_bound": 0.24167175346431505, "delta": 0.05}');
CREATE TABLE releases (        -- all that was ever told
        attempt INTEGER PRIMARY KEY,
        submission BLOB NOT NULL UNIQUE,
        value REAL,
        board_value REAL,
        accepted INTEGER NOT NULL,
        improved INTEGER NOT NULL,
        low REAL,
        high REAL,
        standard_error REAL
    );
INSERT INTO "releases" VALUES(1,X'84FCE03EC9C97F1D2E57812C8CD35F89',0.198,0.198,1,1,0.132,0.287,0.03518);
INSERT INTO "releases" VALUES(2,X'2B2B56D16515AD2F4DB603BDD4C95D04',0.212,0.212,1,0,0.143,0.302,0.03518);
INSERT INTO "releases" VALUES(3,X'C1B94536CC13044DCFEBA2113F453A86',0.052,0.052,1,1,0.023,0.114,0.01801);
COMMIT;
