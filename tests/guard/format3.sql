PRAGMA application_id=1279345732;
PRAGMA user_version=3;
BEGIN TRANSACTION;
CREATE TABLE answers (         -- every answer to "not worse than the reference?"
        question INTEGER PRIMARY KEY,
        submission BLOB NOT NULL,
        reference BLOB NOT NULL,
        margin REAL NOT NULL,
        not_worse INTEGER NOT NULL,
        UNIQUE (submission, reference, margin)
    );
CREATE TABLE clients (  -- who may ask a service; tokens as hashes, each shown once
        name TEXT PRIMARY KEY,
        token_hash TEXT NOT NULL UNIQUE,
        added_at TEXT NOT NULL,
        is_revoked INTEGER NOT NULL DEFAULT 0,
        attempts INTEGER NOT NULL DEFAULT 0,
        accepts INTEGER NOT NULL DEFAULT 0
    );
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
        note TEXT NOT NULL DEFAULT '',
        ids_hash BLOB,             -- of the items' ids; NULL: they have none
        item_list BLOB,            -- graded items: their ids and groups, which are no secret
        public_facts TEXT                 -- public facts from which the gain follows that the guard would recognise
    );
INSERT INTO "guard" VALUES(1,'error_rate','{}',1,'witness_ladder','{"alpha": 0.05, "benefit": 1.0, "first_step": 0.5, "gate_share": 0.5, "grid": 0.5, "growth": 0.125}',400,X'3239C59F7784D4A28059111D88285D89',X'40519B657CA8B2C3DB886CC5D0DB88542E20141B477A022C2CAEEB3B2C85066C',X'5963E55394727F67DC32DC0353705A116E4BECB9C223639A218F396926508A20','',NULL,NULL,'{"metric": "error_rate", "units": 400, "lower_is_better": true, "bounds": [0.0, 1.0], "paired_test": "mcnemar", "baseline_score": 0.503, "null_standard_error": 0.025}');
CREATE TABLE incumbent (       -- the predictions to beat, and those of the last proven entry
        submission BLOB PRIMARY KEY,
        encoding TEXT NOT NULL,
        predictions BLOB NOT NULL
    );
INSERT INTO "incumbent" VALUES(X'6DB652E64E977F8218F4BD4386E1A5AF','npy+zlib',X'78019D4F310EC230104B575E912D20752812130F6003B13030A18A068184284A2B16E0157C98D89783B66C24CA45F6D9CEE5B5DA2CD7DBCCDCCCDD55BED90737B7EE719ABADCBA431DDA505E7675A83CF845796E7CE49B6379F5118F6745914F72FBB47FAF91C98C89276E2CD40F123EB685C10D015102494B0D82BE7E4D01C7A3D954497750A94C2FA88B6A9DA99B3578494693D950E167956F29C21DD3D8E56788251F4AF1502D46303DB683E40DBA90A97948EF25B19526D2BC9F5B1D6F62F81C7F');
INSERT INTO "incumbent" VALUES(X'5E4126307B155FD58A811F15B85CD494','npy+zlib',X'78019BEC17EA1B10C9C850C650AD9E925A9C5CA46EA5A05E9369A8AEA3A09E965F54529498179F5F94920A12774BCC294E058A17672416A402F91A2606063A9A3A0AB50A64032E064618646460606404F180341C22B3C1726015087920175D2D5012AC122E8EA41A9F18BAC9507740CD87CBC2ED838B20990FF400120F681B48355C07C876A03C828F6021EB8289C268A81C9AC91051885FF1A940B60FA80EC57E903EA02D48620C0064811C7D');
CREATE TABLE progress (        -- one row, replaced by every attempt
        only INTEGER PRIMARY KEY CHECK (only = 1),
        state TEXT NOT NULL,
        leakage TEXT NOT NULL
    );
INSERT INTO "progress" VALUES(1,'{"accepts": 5, "attempts": 6, "incumbent": "5e4126307b155fd58a811f15b85cd494", "memory": {"split_seed": 5486557759335579440}, "proof": {"accepts": 3, "submission": "6db652e64e977f8218f4bd4386e1a5af", "value": 0.2}, "released": 0.102, "standard_error": 0.01801}','{"attempts": 6, "accepts": 5, "bits": 50.5056658580819, "overfit_bound": 0.21993390866901952, "delta": 0.05}');
CREATE TABLE reference (       -- at most one row: the pinned predictions
        only INTEGER PRIMARY KEY DEFAULT 1 CHECK (only = 1),
        submission BLOB NOT NULL,
        attempt INTEGER,
        encoding TEXT NOT NULL,
        predictions BLOB NOT NULL
    );
CREATE TABLE releases (        -- all that was ever told
        attempt INTEGER PRIMARY KEY,
        submission BLOB NOT NULL UNIQUE,
        value REAL,
        board_value REAL,
        accepted INTEGER NOT NULL,
        improved INTEGER NOT NULL,
        low REAL,
        high REAL,
        standard_error REAL,
        client TEXT                -- who asked, through a service; NULL: whoever holds the labels
    );
INSERT INTO "releases" VALUES(1,X'C04B1D1936A871C9DD8B1B822405E517',0.296,0.296,1,1,0.2371,0.3626,0.02815,NULL);
INSERT INTO "releases" VALUES(2,X'A36B526C6534FCD7441D9946B9FCAB38',0.252,0.252,1,0,0.1969,0.3165,0.02252,NULL);
INSERT INTO "releases" VALUES(3,X'6DB652E64E977F8218F4BD4386E1A5AF',0.2,0.2,1,1,0.1505,0.2609,0.02252,NULL);
INSERT INTO "releases" VALUES(4,X'CB00DAF3C30A80F2C4B334DC3D9EF6AC',0.2,0.2,0,0,0.1505,0.2609,0.02252,NULL);
INSERT INTO "releases" VALUES(5,X'1359E14B4FEFA46EF01BF29C7872F5E1',0.152,0.152,1,0,0.1088,0.2083,0.01801,NULL);
INSERT INTO "releases" VALUES(6,X'5E4126307B155FD58A811F15B85CD494',0.102,0.102,1,0,0.0673,0.1517,0.01801,NULL);
COMMIT;
