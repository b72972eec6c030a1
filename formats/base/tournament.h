/* tournament.h - finds the least key among many sources (players), again and again, by a tree of losers (Knuth, The Art
 * of Computer Programming 3, 5.4.1).
 *
 * Each match compares two players and keeps the loser, which is the player with the larger key; the winner goes up. The
 * winner of all matches has the least key. When this player continues with a new key, it only plays against the losers
 * on its way up: log2(players) matches at known places, without an unpredictable branch. (A heap would compare two
 * children on each level.)
 *
 *     players 0 to 3, keys 5 2 7 4:  player 1 (key 2) wins; the keys 5 and 7 lost in the first round, 4 in the last
 *     player 1 continues with 6:     6 loses against 5, and 5 loses against 4, so player 3 (key 4) is next
 *
 * If two keys are equal, the player on the left wins.
 */
#ifndef PITHI_TOURNAMENT_H
#define PITHI_TOURNAMENT_H

#include <stddef.h>
#include <stdint.h>

/* ---- Any number of players --------------------------------------------------------------------------------------- */

/* The first member of each player's struct. */
struct pithi_player {
    uint64_t key;
    uint32_t leaf; /* number of leaves + number of the player */
};

/* tree[0] is the winner, tree[1 .. leaves - 1] are the losers; the match of leaf n is n / 2. The number of leaves is a
 * power of two. A leaf without a player has key PITHI_KEY_DONE and player NULL. */
struct pithi_loser {
    uint64_t key;
    struct pithi_player *player;
};

/* Keys compare like the times that they stand for. A player at its end gets PITHI_KEY_DONE, which sorts after all
 * times. PITHI_KEY_DONE + 1 must not overflow, therefore the last three times of the range share the key
 * PITHI_KEY_LAST; among players with this key, the player on the left comes first. */
#define PITHI_KEY_LAST (UINT64_MAX - 2)
#define PITHI_KEY_DONE (UINT64_MAX - 1)

static inline uint64_t pithi_key_of(int64_t time_ns)
{
    uint64_t key = (uint64_t)time_ns ^ UINT64_C(1) << 63;
    return __builtin_expect(key > PITHI_KEY_LAST, 0) ? PITHI_KEY_LAST : key;
}

static inline int64_t pithi_time_of(uint64_t key) { return (int64_t)(key ^ UINT64_C(1) << 63); }

static inline uint32_t pithi_tournament_leaves(uint32_t players)
{
    uint32_t leaves = 1;
    while (leaves < players && leaves < 1u << 31)
        leaves *= 2;
    return leaves;
}

/* The winner continues with `key`; returns the new winner. If two keys are equal, the player that comes from the right
 * (an odd place) loses. The result of a match is unpredictable, so the code has no branch: it chooses keys by minimum
 * and maximum, and players by masks. Minimum and maximum are right for equal keys, too, and the processor can compute
 * them before the players are chosen. */
static inline struct pithi_loser pithi_tournament_replay(struct pithi_loser *tree, struct pithi_player *winner,
                                                         uint64_t key)
{
    uintptr_t player = (uintptr_t)winner;
    for (uint32_t at = winner->leaf; at > 1; at /= 2) {
        struct pithi_loser *match = &tree[at / 2];
        uint64_t other_key = match->key;
        uintptr_t other = (uintptr_t)match->player;
        uintptr_t swap = (player ^ other) & -(uintptr_t)(other_key < key + (at & 1));
        match->key = key > other_key ? key : other_key;
        key = key < other_key ? key : other_key;
        match->player = (struct pithi_player *)(other ^ swap);
        player ^= swap;
    }
    return (struct pithi_loser){key, (struct pithi_player *)player};
}

/* Plays all matches from the leaves up, and returns the winner. Players are `size` bytes apart. The tree has no memory
 * for the leaves. */
static inline struct pithi_loser pithi_tournament_play(struct pithi_loser *tree, uint32_t leaves, uint32_t at,
                                                       void *players, uint32_t count, size_t size)
{
    if (at >= leaves) {
        struct pithi_player *player = (struct pithi_player *)((char *)players + (at - leaves) * size);
        return at - leaves < count ? (struct pithi_loser){player->key, player}
                                   : (struct pithi_loser){PITHI_KEY_DONE, NULL};
    }
    struct pithi_loser left = pithi_tournament_play(tree, leaves, 2 * at, players, count, size);
    struct pithi_loser right = pithi_tournament_play(tree, leaves, 2 * at + 1, players, count, size);
    int right_wins = right.key < left.key;
    tree[at] = right_wins ? left : right;
    return right_wins ? right : left;
}

/* ---- At most 256 players ----------------------------------------------------------------------------------------- */

/* If a time and its player's number fit in one word, a match is only a minimum and a maximum: a quarter of the
 * instructions. A key is the time since a common base, shifted left, plus the number of the player. So of two players
 * with equal times, the player with the lower number wins.
 * tree[0] is the winner's key, tree[1 .. leaves - 1] are the losers' keys; `leaves` is a power of two.
 *
 * Times that are too far after the base for a key (2.28 years) all become PITHI_PACKED_FAR. If the winner has this
 * time, the caller chooses a later base and plays again. A player at its end has the time PITHI_PACKED_DONE, and so has
 * each leaf without a player. */
enum { PITHI_PACKED_BITS = 8, PITHI_PACKED_PLAYERS = 1 << PITHI_PACKED_BITS };
#define PITHI_PACKED_DONE ((UINT64_C(1) << (64 - PITHI_PACKED_BITS)) - 1)
#define PITHI_PACKED_FAR (PITHI_PACKED_DONE - 1)

/* The number of a key's player. */
static inline uint32_t pithi_packed_player(uint64_t key) { return (uint32_t)key & (PITHI_PACKED_PLAYERS - 1); }

/* The key of a player whose time is not before the base. */
static inline uint64_t pithi_packed_key(int64_t time_ns, int64_t base_ns, uint32_t player)
{
    uint64_t after = (uint64_t)time_ns - (uint64_t)base_ns;
    return (after < PITHI_PACKED_FAR ? after : PITHI_PACKED_FAR) << PITHI_PACKED_BITS | player;
}

/* The winner, `player`, continues at `key`; returns the new winner's key. */
static inline uint64_t pithi_packed_replay(uint64_t *tree, uint32_t leaves, uint32_t player, uint64_t key)
{
    for (size_t at = (leaves + player) / 2; at > 0; at /= 2) {
        uint64_t other = tree[at], lost = other < key ? key : other;
        key = other < key ? other : key;
        tree[at] = lost;
    }
    return key;
}

/* Plays all matches; keys[leaves] has the key of each player. */
static inline void pithi_packed_play(uint64_t *tree, uint32_t leaves, const uint64_t *keys)
{
    uint64_t winner[2 * PITHI_PACKED_PLAYERS];
    for (uint32_t i = 0; i < leaves; i++)
        winner[leaves + i] = keys[i];
    for (uint32_t at = leaves - 1; at > 0; at--) {
        uint64_t left = winner[2 * at], right = winner[2 * at + 1];
        winner[at] = left < right ? left : right;
        tree[at] = left < right ? right : left;
    }
    tree[0] = winner[1];
}

#endif
